import { join } from "node:path";
import type { Options } from './options';

export interface Shape {
  area(): number;
}

export type Name = string | null;
export const enum Level { Low, High }

/*
class NotMe {}
*/
export abstract class Circle<T> extends Base implements Shape {
  #radius = 1;

  constructor(private readonly options: Options) {
    super(options);
  }

  async area(): Promise<number> {
    if (this.options) {
      return call(1, 2);
    }
    const quote = /["'`]/.test("x");
    return `
      function norMe() { ${ quote ? `
      class NorMeEither {}
      ` : "" } }
    `.length;
  }

  static create(
    radius: number,
    name: string,
  ): Circle<number> {
    return make(
      radius,
    );
  }
}

export default async function main(args: string[]): Promise<void> {}
export const helper = async (x: number) => x + 1;
const table = { a: 1 };
function* numbers() {}

export default class extends Registry {
  handler = async (event: Event) => {
    return this.lookup(event);
  };
  size = 3;
}

exports.connect = function (options) {
  return options;
};

Registry.prototype.find = function (name) {
  return name;
};

const shape = "class Looks { like: code }";

/**
 * The Python process beside Pi, and the settings that say how it is started.
 *
 * It is started when needed, asked under a deadline, and given up when it dies, hangs or talks nonsense.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PROTOCOL = 1;
const CAPABILITIES = ["again", "instead"];
export const env = (name: string, otherwise: number): number => Number(process.env[`BACKSTORY_PI_${name}`]) || otherwise;
const GRACE_MS = env("GRACE_MS", 5_000);
const LONGEST_WAIT_MS = 60_000;
const LONGEST_LINE = 64 << 20;

export type Json = Record<string, any>;
type Tool = { name: string; label: string; description: string; parameters: Json; sequential?: boolean };

/** What the installer wrote beside this file. */
export interface Settings {
  python: string;
  version?: string;
  guard?: string;
  tools: Tool[];
}

export function settings(): Settings {
  try {
    const beside = join(dirname(fileURLToPath(import.meta.url)), "backstory.json");
    return { python: "python3", tools: [], ...JSON.parse(readFileSync(beside, "utf8")) };
  } catch {
    return { python: process.env.BACKSTORY_PYTHON || "python3", tools: [] };
  }
}

/** The Python process: started when needed, given up and started anew when it dies, hangs or talks nonsense. */
export class Sidecar {
  generation = 0;
  trouble = "it was not started yet";
  guarded: boolean;
  capabilities = new Set<string>();
  private child: ChildProcess | undefined;
  private pieces: Buffer[] = [];
  private size = 0;
  private nextId = 1;
  private newest: number | undefined;
  private failures = 0;
  private retryAt = 0;
  private closed = false;
  private waiting = new Map<number, (reply: Json | Error) => void>();
  private overdue = new Map<number, NodeJS.Timeout>();

  private readonly config: Settings;

  constructor(config: Settings) {
    this.config = config;
    this.guarded = config.guard !== undefined && existsSync(config.guard);
  }

  /** Whether the process runs now; starts it unless it failed a moment ago. */
  start(): boolean {
    if (this.child) return true;
    if (this.closed || Date.now() < this.retryAt) return false;
    try {
      this.adopt(spawn(this.config.python, ["-P", "-m", "backstory", "rpc"], { stdio: "pipe", windowsHide: true }));
    } catch (error) {
      this.failed(String(error));
      return false;
    }
    this.ask("initialize", { protocol: PROTOCOL, version: this.config.version, capabilities: CAPABILITIES }, (reply) => {
      if (reply instanceof Error) return;
      if (reply.protocol === PROTOCOL) {
        this.guarded = reply.guarded === true;
        this.capabilities = new Set(reply.capabilities);
      } else this.close(`it speaks protocol ${reply.protocol}, this extension ${PROTOCOL}: run "backstory pi install"`);
    });
    return true;
  }

  private adopt(child: ChildProcess): void {
    this.child = child;
    this.generation += 1;
    this.pieces = [];
    this.size = 0;
    child.on("error", (error) => this.lost(child, error.message));
    child.on("exit", (code, signal) => this.lost(child, `it ended with ${signal ?? code}`));
    child.stdin?.on("error", () => {});
    child.stdout?.on("data", (data: Buffer) => this.read(child, data));
    child.stderr?.resume();
    // A process that is left behind must never keep Pi from ending.
    for (const part of [child, child.stdin, child.stdout, child.stderr] as { unref?: () => void }[]) part?.unref?.();
  }

  private read(child: ChildProcess, data: Buffer): void {
    for (let end = data.indexOf(10); end >= 0 && child === this.child; end = data.indexOf(10)) {
      const line = Buffer.concat([...this.pieces, data.subarray(0, end)]).toString("utf8");
      this.pieces = [];
      this.size = 0;
      data = data.subarray(end + 1);
      this.take(line);
    }
    this.pieces.push(data);
    this.size += data.length;
    if (this.size > LONGEST_LINE) this.kill("it wrote a line without end");
  }

  private take(line: string): void {
    let message: Json;
    try {
      message = JSON.parse(line);
    } catch {
      return this.kill("it wrote something that is no JSON");
    }
    clearTimeout(this.overdue.get(message?.id));
    this.overdue.delete(message?.id);
    const settle = this.waiting.get(message?.id);
    this.waiting.delete(message?.id);
    settle?.(message.error ? new Error(message.error.message) : (message.result ?? {}));
  }

  private lost(child: ChildProcess, why: string): void {
    if (child === this.child) this.failed(why);
  }

  private failed(why: string): void {
    this.child = undefined;
    this.trouble = why;
    this.retryAt = Date.now() + Math.min(LONGEST_WAIT_MS, 250 * 4 ** this.failures++);
    for (const timer of this.overdue.values()) clearTimeout(timer);
    this.overdue.clear();
    const left = [...this.waiting.values()];
    this.waiting.clear();
    for (const settle of left) settle(new Error(why));
  }

  private kill(why: string): void {
    const child = this.child;
    if (!child) return;
    this.failed(why);
    child.kill("SIGKILL");
  }

  private send(message: Json): void {
    if (this.child?.stdin?.writable) this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  private ask(method: string, params: Json, settle: (reply: Json | Error) => void, deadline?: number): number {
    const id = this.nextId++;
    this.waiting.set(id, settle);
    this.send({ id, method, params, deadline });
    return id;
  }

  /** Tells something that needs no answer. */
  tell(method: string, params: Json): void {
    if (this.start()) this.send({ method, params });
  }

  /** Asks, and waits for the answer until the deadline or until the signal. */
  call(method: string, params: Json, deadline: number, signal?: AbortSignal): Promise<Json> {
    this.newest = undefined;
    if (!this.start()) return Promise.reject(new Error(this.trouble));
    if (this.overdue.size) return Promise.reject(new Error("it is busy with a call that is overdue"));
    if (signal?.aborted) return Promise.reject(new Error("aborted"));
    return new Promise((resolve, reject) => {
      const done = (reply: Json | Error): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
      };
      const abandon = (why: string): void => {
        this.waiting.delete(id);
        this.send({ method: "$/cancel", params: { id } });
        const patience = setTimeout(() => this.kill("it did not answer in time and did not stop either"), GRACE_MS);
        patience.unref();
        this.overdue.set(id, patience);
        done(new Error(why));
      };
      const stop = (): void => abandon("aborted");
      const timer = setTimeout(() => abandon(`it did not answer ${method} within ${deadline} ms`), deadline);
      signal?.addEventListener("abort", stop, { once: true });
      const id = this.ask(method, params, done, deadline);
      this.newest = id;
    });
  }

  /** Asks that the newest call be stopped, if it was made at all; it is still answered, mostly by an error. */
  recall(): void {
    if (this.newest !== undefined) this.send({ method: "$/cancel", params: { id: this.newest } });
  }

  /** Notes that the process works, so that a later failure is again the first one, and whether it guards privacy. */
  well(guarded = false): void {
    this.failures = 0;
    this.guarded = guarded;
  }

  /** Ends the process for good: it goes by itself at the end of its input, unless it owes an answer already. */
  close(why = "the session ended"): void {
    const child = this.child;
    this.closed = true;
    if (!child) return;
    if (this.waiting.size || this.overdue.size) return this.kill(why);
    this.failed(why);
    child.stdin?.end();
    setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
  }
}

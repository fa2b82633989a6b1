/**
 * Lines up the messages that Pi is about to send with the entries of its session file, and names each of them.
 *
 * Nothing here asks the other side. A list may begin as the last one did, so that little has to be compared again.
 */
import { createHash } from "node:crypto";
import type { Json } from "./sidecar.ts";

const digests = new WeakMap<object, string>();

/** A short name for the content of a session entry or message: the hash of its JSON, as it stands in the file. */
function digest(value: object): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

/** The name "id:digest" of an entry that the file holds as it is; entries never change. */
function named(entry: Json): string {
  let known = digests.get(entry);
  if (known === undefined) {
    known = `${entry.id}:${digest(entry)}`;
    digests.set(entry, known);
  }
  return known;
}

function equal(one: any, other: any): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let at = 0; at < one.length; at++) if (!equal(one[at], other[at])) return false;
    return true;
  }
  let count = 0;
  for (const key in one) {
    if (one[key] === undefined) continue;
    if (!equal(one[key], other[key])) return false;
    count += 1;
  }
  for (const key in other) if (other[key] !== undefined) count -= 1;
  return count === 0;
}

/** Whether a message may come from an entry: its role, and its time where Pi copies that. */
function fits(entry: Json, message: Json): boolean {
  if (entry.type === "message") return entry.message?.role === message.role && entry.message.timestamp === message.timestamp;
  if (entry.type === "custom_message") return message.role === "custom" && entry.customType === message.customType;
  if (entry.type === "compaction") return message.role === "compactionSummary";
  return entry.type === "branch_summary" && message.role === "branchSummary";
}

function same(one: any, other: any): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return equal(one, other);
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) {
    const block = one[at];
    const copy = other[at];
    const plain = block?.type === "text" && copy?.type === "text" && block.textSignature === undefined;
    if (plain ? block.text !== copy.text || copy.textSignature !== undefined : !equal(block, copy)) return false;
  }
  return true;
}

/** Whether a message is what its entry says, unchanged by edits or by other extensions. */
function unchanged(entry: Json, message: Json): boolean {
  if (entry.type === "custom_message") return same(entry.content, message.content);
  if (entry.type !== "message") return entry.summary === message.summary;
  const held = entry.message;
  if (message.role === "user") return same(held.content, message.content);
  if (message.role === "assistant") return held.stopReason === message.stopReason && same(held.content, message.content);
  if (message.role !== "toolResult") return equal(held, message);
  const answers = held.toolCallId === message.toolCallId && held.isError === message.isError;
  return answers && same(held.content, message.content);
}

/** A list of messages by names, how far into the entries each of them reached, and how many of the first are untouched. */
export interface Lined {
  entries: Json[];
  names: string[];
  ends: number[];
  untouched: number;
}

export const NOTHING: Lined = { entries: [], names: [], ends: [], untouched: 0 };

/** Each message as "entry id:digest": of its entry where the file holds it as it is, else of the message itself. */
export function lined(entries: Json[], messages: Json[], begun: Lined = NOTHING): Lined {
  const names = begun.names.slice();
  const ends = begun.ends.slice();
  let untouched = begun.untouched;
  let from = ends.at(-1) ?? 0;
  const edited = new Set<string>();
  for (let at = from; at < entries.length; at++) {
    if (entries[at]?.type === "context_edit") edited.add(entries[at]?.targetId);
  }
  for (let number = names.length; number < messages.length; number++) {
    const message = messages[number] as Json;
    let first = -1;
    let name: string | undefined;
    for (let at = from; at < entries.length; at++) {
      const entry = entries[at] as Json;
      if (!fits(entry, message)) {
        if (first >= 0) break;
        continue;
      }
      if (first < 0) first = at;
      if (edited.has(entry.id)) break;
      if (unchanged(entry, message)) {
        first = at;
        name = named(entry);
        break;
      }
    }
    if (first >= 0) from = first + 1;
    if (name !== undefined && untouched === number) untouched += 1;
    names.push(name ?? `${first >= 0 ? entries[first]?.id : ""}:${digest(message)}`);
    ends.push(from);
  }
  return { entries, names, ends, untouched };
}

/** What the last list tells of the next one: its first messages, if they come from the same entries and still fit. */
export function likely(last: Lined, entries: Json[], messages: Json[]): Lined {
  let same = 0;
  while (same < last.entries.length && last.entries[same] === entries[same]) same += 1;
  let count = Math.min(last.untouched, messages.length);
  while (count && (last.ends[count - 1] as number) > same) count -= 1;
  const end = last.ends[count - 1];
  if (end === undefined || !fits(entries[end - 1] as Json, messages[count - 1] as Json)) return NOTHING;
  for (let at = same; at < entries.length; at++) if (entries[at]?.type === "context_edit") return NOTHING;
  return { entries, names: last.names.slice(0, count), ends: last.ends.slice(0, count), untouched: count };
}

/** Carries out the edits of a plan on the messages that Pi was about to send: whole, or not at all. */
import type { Json } from "./sidecar.ts";

export type Edit = { keep: number } | { drop: number } | { insert: string } | { replace: Json } | { again: number };

/** Whether Pi sends a message as part of the conversation: no system message, failed answer or private command. */
export function carried(message: Json): boolean {
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return message.role !== "system" && message.excludeFromContext !== true;
}

/** The messages after the edits, which speak of the carried messages only; all others stay where they are. */
export function edit(messages: Json[], edits: Edit[]): Json[] {
  const out: Json[] = [];
  let at = 0;
  const next = (): Json => {
    for (; at < messages.length && !carried(messages[at] as Json); at++) out.push(messages[at] as Json);
    const message = messages[at];
    if (message === undefined) throw new Error("the edits do not fit the messages");
    return message;
  };
  for (const one of edits) {
    if ("insert" in one) {
      const before = next();
      out.push({ role: "user", content: [{ type: "text", text: one.insert }], timestamp: before.timestamp ?? 0 });
    } else if ("replace" in one) {
      // A copy, as the edit may be carried out again after somebody has changed what it gave.
      out.push({ ...next(), ...structuredClone(one.replace) });
      at += 1;
    } else if ("again" in one) {
      throw new Error("the answer repeats what was never said");
    } else {
      const count = "keep" in one ? one.keep : one.drop;
      for (let done = 0; done < count; done++, at++) {
        const message = next();
        if ("keep" in one) out.push(message);
      }
    }
  }
  for (; at < messages.length; at++) {
    const message = messages[at] as Json;
    if (carried(message)) throw new Error("the edits do not fit the messages");
    out.push(message);
  }
  return out;
}

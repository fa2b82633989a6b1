// Loads the extension as Pi would and fires `context` events over a conversation that grows, branches and is changed by
// others at random. Prints, per event, the list it asked about last and the one that an honest look at everything gives.
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const [extension, heard, seed, events] = process.argv.slice(2);
let state = Number(seed) >>> 0 || 1;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const digest = (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);

let entries = [];
let number = 0;
const handlers = {};
const pi = { on: (name, handler) => (handlers[name] = handler), registerCommand() {}, registerTool() {}, getActiveTools: () => [], getAllTools: () => [] };
const sessionManager = {
  getSessionFile: () => "/nowhere.jsonl", getSessionId: () => "s", getLeafId: () => entries.at(-1)?.id ?? null,
  buildContextEntries: () => entries.slice(), buildSessionProjection: () => undefined,
};
const ctx = {
  sessionManager, model: undefined, cwd: "/", mode: "rpc", hasUI: true, signal: undefined,
  isProjectTrusted: () => false, getContextUsage: () => undefined, getSystemPrompt: () => "",
};

function grow() {
  number += 1;
  const text = [{ type: "text", text: `said ${number}` }];
  const role = ["user", "assistant", "toolResult"][random(3)];
  const message = { role, content: text, timestamp: number, ...(role === "toolResult" ? { toolCallId: `c${number}`, toolName: "read", isError: false } : {}) };
  entries.push({ type: "message", id: `e${number}`, parentId: entries.at(-1)?.id ?? null, timestamp: "t", message });
}

// What others do to the list from now on: entries by id that they change or leave out, and notes of their own.
const changed = new Map();
const dropped = new Set();
let note = "";

function happen() {
  const any = () => entries[random(entries.length)];
  const what = random(10);
  if (what < 4) for (let count = random(4); count >= 0; count--) grow();
  else if (what === 4 && entries.length > 4) entries = entries.slice(0, 1 + random(entries.length - 1));
  else if (what === 5) changed.set(any().id, `changed ${random(1000)}`);
  else if (what === 6) dropped.add(any().id);
  else if (what === 7) note = random(2) ? `a note ${random(3)}` : "";
  else if (what === 8) (changed.clear(), dropped.clear());
  else entries = entries.map((entry) => (random(2) ? entry : structuredClone(entry)));
}

function shown() {
  const messages = [];
  const names = [];
  for (const entry of entries) {
    if (dropped.has(entry.id)) continue;
    const message = structuredClone(entry.message);
    const other = changed.get(entry.id);
    if (other !== undefined) message.content = [{ type: "text", text: other }];
    messages.push(message);
    names.push(`${entry.id}:${digest(other === undefined ? entry : message)}`);
  }
  if (note && messages.length) {
    const message = { role: "custom", customType: "note", content: note, timestamp: 0 };
    const at = random(2) ? messages.length - 1 : 0;
    messages.splice(at, 0, message);
    names.splice(at, 0, `:${digest(message)}`);
  }
  return { messages, names };
}

(await import(pathToFileURL(extension).href)).default(pi);
await handlers.session_start({ reason: "startup" }, ctx);
while (!readFileSync(heard, "utf8")) await new Promise((resolve) => setTimeout(resolve, 20));
await new Promise((resolve) => setTimeout(resolve, 100));
grow();
for (let event = 0; event < Number(events); event++) {
  happen();
  const { messages, names } = shown();
  const before = readFileSync(heard, "utf8").split("\n").length;
  await handlers.context_with_system({ messages }, ctx);
  const asked = readFileSync(heard, "utf8").split("\n").slice(before - 1).filter(Boolean).map((line) => JSON.parse(line));
  console.log(JSON.stringify({ asked, names }));
}
handlers.session_shutdown();

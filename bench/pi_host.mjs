// Loads the extension as Pi would, over a session file, and times its answer to `context` events. Beside it, in turn, a
// process that gets the whole list and sends the whole list back.
import { spawn } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const [extension, file, python, calls] = process.argv.slice(2);
const entries = readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const header = entries.shift();
let leaf = entries.at(-1).id;
const handlers = {};
const pi = {
  on: (name, handler) => (handlers[name] = handler),
  registerCommand: () => {},
  registerTool: () => {},
  getActiveTools: () => ["read"],
  getAllTools: () => [{ name: "read", description: "reads a file", parameters: {} }],
};
const sessionManager = {
  getSessionFile: () => file,
  getSessionId: () => header.id,
  getLeafId: () => leaf,
  buildContextEntries: () => entries.slice(),
  buildSessionProjection: () => undefined,
};
const cost = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
const model = { provider: "bench", id: "m", contextWindow: 200000, maxTokens: 8192, reasoning: false, input: ["text"], cost };
const ctx = {
  sessionManager, model, cwd: header.cwd, mode: "rpc", hasUI: true, signal: undefined,
  isProjectTrusted: () => false, getContextUsage: () => undefined, getSystemPrompt: () => "You are a bench.",
};

function append(message) {
  const entry = { type: "message", id: entries.length.toString(16).padStart(8, "0"), parentId: leaf, timestamp: new Date(0).toISOString(), message };
  entries.push(entry);
  leaf = entry.id;
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

const echo = spawn(python, ["-c", "import sys, json\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(json.dumps(json.loads(line)).encode() + b'\\n'); sys.stdout.flush()"]);
let pieces = [];
let heard = () => {};
echo.stdout.on("data", (data) => {
  pieces.push(data);
  if (data.at(-1) !== 10) return;
  const line = Buffer.concat(pieces).toString("utf8");
  pieces = [];
  heard(JSON.parse(line));
});
const naive = (messages) =>
  new Promise((resolve) => {
    heard = resolve;
    echo.stdin.write(`${JSON.stringify(messages)}\n`);
  });

// CPU time that a process has used so far, in ms.
const used = (id) => Number(readFileSync(`/proc/${id}/schedstat`, "utf8").split(" ")[0]) / 1e6;
const threads = (id) => readdirSync(`/proc/${id}/task`).reduce((sum, task) => sum + used(`${id}/task/${task}`), 0);
const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
const sidecar = () => children().find((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").includes("backstory"));

(await import(pathToFileURL(extension).href)).default(pi);
await handlers.session_start({ reason: "startup" }, ctx);
const rest = (time) => new Promise((resolve) => setTimeout(resolve, time));
await rest(500);
for (let before = -1, now = threads(sidecar()); now !== before; before = now, now = threads(sidecar())) await rest(700);
const ours = [];
const whole = [];
const here = [];
const beside = [];
let changed = 0;
for (let number = 0; number < Number(calls); number++) {
  append({ role: "assistant", content: [{ type: "toolCall", id: `n${number}`, name: "read", arguments: { path: `new${number}.py` } }], stopReason: "toolUse", timestamp: number });
  append({ role: "toolResult", toolCallId: `n${number}`, toolName: "read", content: [{ type: "text", text: `result ${number} ` + "new words ".repeat(60) }], isError: false, timestamp: number });
  const messages = structuredClone(entries.filter((entry) => entry.type === "message").map((entry) => entry.message));
  const other = threads(sidecar());
  const cpu = process.cpuUsage();
  let start = performance.now();
  const answer = await handlers.context_with_system({ messages }, ctx);
  ours.push(performance.now() - start);
  const { user, system } = process.cpuUsage(cpu);
  here.push((user + system) / 1e3);
  beside.push(threads(sidecar()) - other);
  changed += answer !== undefined;
  handlers.message_end({ message: { role: "assistant", stopReason: "toolUse", usage: {} } }, ctx);
  start = performance.now();
  await naive(messages);
  whole.push(performance.now() - start);
  await rest(20);
}
echo.stdin.end();
handlers.session_shutdown();
console.log(JSON.stringify({ ours, whole, here, beside, changed }));

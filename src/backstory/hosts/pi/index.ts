/**
 * Backstory inside Pi: every model call planned by a Python process beside Pi, `/context` commands, and model tools.
 *
 * All decisions are made over there. This file lines Pi's messages up with the entries of its session file, carries
 * out edits, questions and appends, and looks after the process: deadlines, cancellation, restarts. Whatever fails
 * here leaves Pi's own request as it was; only a privacy policy that cannot be enforced stops a request.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

const PROTOCOL = 1;
const CAPABILITIES = ["again", "instead"];
const UNCERTAIN = "what was to be kept may be in the session's log, so look before it is written again";
const env = (name: string, otherwise: number): number => Number(process.env[`BACKSTORY_PI_${name}`]) || otherwise;
const CONTEXT_MS = env("DEADLINE_MS", 3_000);
const COMMAND_MS = 60_000;
const GRACE_MS = env("GRACE_MS", 5_000);
const LONGEST_WAIT_MS = 60_000;
const LONGEST_LINE = 64 << 20;
const READERS = new Set(["read", "grep", "find", "ls"]);

type Json = Record<string, any>;
type Tool = { name: string; label: string; description: string; parameters: Json; sequential?: boolean };
type Edit = { keep: number } | { drop: number } | { insert: string } | { replace: Json } | { again: number };
type Planned = { edits?: Edit[]; need?: number[]; manifest?: string; guarded?: boolean };

/** What the installer wrote beside this file. */
interface Settings {
  python: string;
  version?: string;
  guard?: string;
  tools: Tool[];
}

function settings(): Settings {
  try {
    const beside = join(dirname(fileURLToPath(import.meta.url)), "backstory.json");
    return { python: "python3", tools: [], ...JSON.parse(readFileSync(beside, "utf8")) };
  } catch {
    return { python: process.env.BACKSTORY_PYTHON || "python3", tools: [] };
  }
}

/** The Python process: started when needed, given up and started anew when it dies, hangs or talks nonsense. */
class Sidecar {
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

/** Notes why something was left undone, for whoever looks for the reason; nothing is noted otherwise. */
function note(what: string, error: unknown): void {
  const file = process.env.BACKSTORY_PI_TRACE;
  if (file) appendFileSync(file, `${new Date().toISOString()} ${what}: ${(error as Error).message}\n`);
}

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
interface Lined {
  entries: Json[];
  names: string[];
  ends: number[];
  untouched: number;
}

const NOTHING: Lined = { entries: [], names: [], ends: [], untouched: 0 };

/** Each message as "entry id:digest": of its entry where the file holds it as it is, else of the message itself. */
function lined(entries: Json[], messages: Json[], begun: Lined = NOTHING): Lined {
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
function likely(last: Lined, entries: Json[], messages: Json[]): Lined {
  let same = 0;
  while (same < last.entries.length && last.entries[same] === entries[same]) same += 1;
  let count = Math.min(last.untouched, messages.length);
  while (count && (last.ends[count - 1] as number) > same) count -= 1;
  const end = last.ends[count - 1];
  if (end === undefined || !fits(entries[end - 1] as Json, messages[count - 1] as Json)) return NOTHING;
  for (let at = same; at < entries.length; at++) if (entries[at]?.type === "context_edit") return NOTHING;
  return { entries, names: last.names.slice(0, count), ends: last.ends.slice(0, count), untouched: count };
}

/** Whether Pi sends a message as part of the conversation: no system message, failed answer or private command. */
function carried(message: Json): boolean {
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return message.role !== "system" && message.excludeFromContext !== true;
}

/** The messages after the edits, which speak of the carried messages only; all others stay where they are. */
function edit(messages: Json[], edits: Edit[]): Json[] {
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

/** The state of Pi that goes with every request; how full it thinks it is takes long to find out in a long session. */
function state(ctx: ExtensionContext, asked = false): Json {
  const { sessionManager: session, model } = ctx;
  const file = session.getSessionFile();
  return {
    source: "pi",
    session: session.getSessionId(),
    file: file ?? null,
    leaf: session.getLeafId() ?? null,
    cwd: ctx.cwd,
    trusted: ctx.isProjectTrusted(),
    mode: ctx.mode,
    ui: ctx.hasUI,
    ephemeral: file === undefined,
    used: asked ? (ctx.getContextUsage()?.tokens ?? null) : null,
    model: model && {
      provider: model.provider,
      id: model.id,
      window: model.contextWindow,
      max_output: model.maxTokens,
      prices: {
        input: model.cost.input,
        output: model.cost.output,
        cache_read: model.cost.cacheRead,
        cache_write: model.cost.cacheWrite,
      },
    },
  };
}

/** Whether this is the only copy of the extension in this Pi: one for the user and one for the project may both load. */
function alone(): boolean {
  const slots = globalThis as { [key: symbol]: string | undefined };
  const slot = Symbol.for("backstory.pi");
  slots[slot] ??= import.meta.url.replace(/[?#].*$/, "");
  return slots[slot] === import.meta.url.replace(/[?#].*$/, "");
}

export default function backstory(pi: ExtensionAPI): void {
  if (process.env.BACKSTORY_PI === "off" || !alone()) return;
  const config = settings();
  const sidecar = new Sidecar(config);
  const calls = new Map<string, Json>();
  let sent: { generation: number; list: string[] } = { generation: 0, list: [] };
  let last = NOTHING;
  let told: { base?: string; edits: Edit[] } = { edits: [] };
  let chosen: string | undefined;
  let manifest: string | undefined;
  let fixed: { of: string; tools: number; names: string[] } = { of: "", tools: 0, names: [] };

  // Pi's two versions differ in what they know; a handler of an event that one of them lacks is never called there.
  const on = (name: string, handler: (event: any, ctx: ExtensionContext) => unknown): void => {
    (pi.on as (name: string, handler: unknown) => unknown)(name, handler);
  };

  /** Characters that go with every request beside its messages, and the names of its tools. */
  function around(ctx: ExtensionContext): Json {
    const active = pi.getActiveTools();
    const of = active.join();
    if (fixed.of !== of) {
      const tools = pi.getAllTools().filter((tool) => active.includes(tool.name));
      const told = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
      fixed = { of, tools: JSON.stringify(told).length, names: told.map((tool) => tool.name) };
    }
    return { system: ctx.getSystemPrompt().length, tools: fixed.tools, names: fixed.names };
  }

  async function ask(ctx: ExtensionContext, list: string[], more: Json = {}): Promise<Planned> {
    if (!sidecar.start()) throw new Error(sidecar.trouble);
    const known = sent.generation === sidecar.generation ? sent.list : [];
    let keep = 0;
    while (keep < known.length && known[keep] === list[keep]) keep += 1;
    const generation = sidecar.generation;
    const base = sidecar.capabilities.has("again") ? told.base : undefined;
    const what = { keep, entries: list.slice(keep), base, switch: chosen, ...more };
    sent = { generation: 0, list: [] };
    const params = { call: state(ctx), ...what, fixed: around(ctx) };
    const answer: Planned = await sidecar.call("context", params, CONTEXT_MS, ctx.signal);
    sent = { generation, list };
    return answer;
  }

  /**
   * Asks for the plan of a list whose beginning is taken to be that of the last one, and looks at every message while the
   * other side plans. A list that turns out to be another one is asked about anew.
   */
  async function planned(ctx: ExtensionContext, spoken: Json[]): Promise<Planned> {
    const entries = ctx.sessionManager.buildContextEntries();
    const begun = sidecar.capabilities.has("instead") ? likely(last, entries, spoken) : NOTHING;
    const guess = lined(entries, spoken, begun);
    const asked = ask(ctx, guess.names);
    asked.catch(() => {});
    last = begun.untouched ? lined(entries, spoken) : guess;
    const names = last.names;
    const right = names.every((name, at) => name === guess.names[at]);
    if (!right) {
      sidecar.recall();
      await asked.catch(() => {});
    }
    const answer = await (right ? asked : ask(ctx, names, { instead: true }));
    if (!answer.need?.length) return answer;
    return ask(ctx, names, { messages: Object.fromEntries(answer.need.map((at) => [at, spoken[at]])) });
  }

  async function plan(event: { messages: Json[] }, ctx: ExtensionContext): Promise<{ messages: any } | undefined> {
    manifest = undefined;
    try {
      const answer = await planned(ctx, event.messages.filter(carried));
      sidecar.well(answer.guarded);
      manifest = answer.manifest;
      chosen = undefined;
      if (!answer.edits?.length) return undefined;
      const edits = answer.edits.map((one) => ("again" in one ? (told.edits[one.again] ?? one) : one));
      told = { base: manifest, edits: edits.filter((one) => "insert" in one || "replace" in one) };
      return { messages: edit(event.messages, edits) };
    } catch (error) {
      note("context", error);
      return undefined;
    }
  }

  /** Does what the other side asks for, step by step, until it has said its last word. */
  async function follow(first: Json, ctx: ExtensionContext, signal?: AbortSignal): Promise<Json> {
    let step = first;
    let appended = false;
    while (step.step !== "say") {
      appended ||= step.step === "append";
      const answer = step.step === "confirm" ? await confirm(step, ctx, signal) : append(step, ctx);
      const params = { token: step.token, answer: { ...answer, call: state(ctx) } };
      try {
        step = await sidecar.call("resume", params, COMMAND_MS);
      } catch (error) {
        if (appended) throw new Error(`${(error as Error).message}; ${UNCERTAIN}`);
        throw error;
      }
    }
    return step;
  }

  async function confirm(step: Json, ctx: ExtensionContext, signal?: AbortSignal): Promise<Json> {
    const accepted = ctx.hasUI && (await ctx.ui.confirm(step.title, step.message, { signal }));
    return { answer: "confirmed", accepted: accepted === true, aborted: signal?.aborted === true };
  }

  function append(step: Json, ctx: ExtensionContext): Json {
    const entryIds: string[] = [];
    if (step.leaf && step.leaf !== ctx.sessionManager.getLeafId()) return { answer: "appended", problem: "moved" };
    try {
      for (const entry of step.entries) {
        pi.appendEntry(entry.customType, entry.data);
        entryIds.push(ctx.sessionManager.getLeafId() ?? "");
      }
    } catch {
      return { answer: "appended", entryIds, problem: "failed" };
    }
    return { answer: "appended", entryIds };
  }

  /** Shows a person what a command says; without a screen it goes to standard error, as standard output is Pi's. */
  function show(text: string, level: string, ctx: ExtensionContext): void {
    if (ctx.hasUI) ctx.ui.notify(text, level as "info" | "warning" | "error");
    else process.stderr.write(`${text}\n`);
  }

  function tell(name: string, ctx: ExtensionContext, detail: Json = {}): void {
    try {
      sidecar.tell(name, { call: state(ctx), ...detail });
    } catch {
      // A session that was just replaced cannot be asked for its state any more.
    }
  }

  on("context", (event, ctx) => ("buildSessionProjection" in ctx.sessionManager ? undefined : plan(event, ctx)));
  on("context_with_system", plan);
  on("before_provider_request", async (event, ctx) => {
    if (!sidecar.guarded) return undefined;
    try {
      const asked = { call: state(ctx), payload: event.payload, manifest };
      const answer = await sidecar.call("payload", asked, CONTEXT_MS, ctx.signal);
      return answer.payload ?? undefined;
    } catch (error) {
      note("payload", error);
      return {};
    }
  });
  on("message_end", ({ message }, ctx) => {
    if (message.role !== "assistant" || !manifest || ["error", "aborted"].includes(message.stopReason)) return;
    const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = message.usage ?? {};
    const usage = { input, cache_read: cacheRead, cache_write: cacheWrite, output };
    tell("answered", ctx, { manifest, usage });
    manifest = undefined;
  });
  on("tool_execution_start", ({ toolCallId, args }) => void calls.set(toolCallId, args));
  on("tool_execution_end", ({ toolCallId, toolName }, ctx) => {
    const args = calls.get(toolCallId);
    calls.delete(toolCallId);
    if (READERS.has(toolName) || config.tools.some((tool) => tool.name === toolName)) return;
    const named = ["write", "edit"].includes(toolName) && typeof args?.path === "string";
    tell("changed", ctx, { paths: named ? [args?.path] : null });
  });
  on("session_start", (_, ctx) => tell("session", ctx, { event: "start" }));
  on("session_tree", (_, ctx) => tell("session", ctx, { event: "tree" }));
  on("session_compact", (_, ctx) => tell("session", ctx, { event: "compact" }));
  on("model_select", ({ source }, ctx) => {
    chosen = source;
    tell("session", ctx, { event: "model" });
  });
  on("agent_settled", (_, ctx) => tell("session", ctx, { event: "settled" }));
  on("session_shutdown", () => sidecar.close());

  pi.registerCommand("context", {
    description: "Backstory: what the model is given, what it remembers, and why (/context help)",
    handler: async (line, ctx) => {
      try {
        const first = await sidecar.call("command", { call: state(ctx, true), line }, COMMAND_MS);
        const said = await follow(first, ctx);
        show(said.text, said.level, ctx);
      } catch (error) {
        show(`Backstory does not answer: ${(error as Error).message}. "backstory pi doctor" finds out why.`, "error", ctx);
      }
    },
  });

  for (const { name, label, description, parameters, sequential } of config.tools) {
    pi.registerTool({
      name,
      label,
      description,
      parameters: parameters as any,
      executionMode: sequential ? "sequential" : "parallel",
      async execute(_id, params, signal, _update, ctx) {
        try {
          const first = await sidecar.call("tool", { call: state(ctx), name, arguments: params }, COMMAND_MS, signal);
          const said = await follow(first, ctx, signal);
          return { content: [{ type: "text", text: said.text }], details: said.data ?? {} };
        } catch (error) {
          const text = `Backstory is not available: ${(error as Error).message}. Go on without it.`;
          return { content: [{ type: "text", text }], details: { available: false } };
        }
      },
    });
  }
}

export type Kind = "rate_limit" | "unavailable" | "timeout" | "not_ready" | "model" | "refused" | "schema" | "unsupported" | "bad_request" | "internal";

/** A failure with its kind. */
export class AdapterError extends Error {
  constructor(kind: Kind, message: string, data?: { retry_after?: number; applied?: boolean });
  kind: Kind;
}

export interface Block {
  text: string;
  score?: number;
  time?: Date | string | number | null;
  id?: string;
  /** Ids of turns. */
  sources?: string[];
}

export class Turn {
  id: string;
  speaker: string;
  text: string;
  time: Date | null;
  image: { caption?: string; query?: string } | null;
  /** The text, and in brackets what an image shows. */
  readonly content: string;
  /** "Name: content". */
  readonly line: string;
}

export class Session {
  id: string;
  time: Date | null;
  turns: Turn[];
  speakers: string[];
  messages(style?: "named" | "roles"): { role: "user" | "assistant"; content: string }[];
}

export interface Request {
  id: string;
  text: string;
  time: Date | null;
  /** Aborted when the harness cancels the request. */
  signal: AbortSignal;
}

export interface Models {
  base_url: string;
  key: string;
  chat: string;
  embed: string;
  dimensions: number;
}

type Awaitable<T> = T | Promise<T>;
type Found = (Block | string)[];

export class Memory {
  static version: string;
  static libraries: string[] | Record<string, string>;
  static mutates: boolean;
  static deterministic: boolean;
  static sources: "exact" | "none";
  static defaults: Record<string, unknown> | null;

  id: string;
  speakers: string[];
  options: Record<string, any>;
  work: string;
  models: Models;
  seed: number;
  restore: string | null;

  open(): Awaitable<void>;
  add?(session: Session): Awaitable<number | void>;
  finish(): Awaitable<number | { items?: number; bytes?: number } | void>;
  search?(request: Request, k: number, tokens: number): Awaitable<Found | { blocks: Found; notes?: string[] }>;
  answer?(request: Request): Awaitable<string | { text: string; blocks?: Found; notes?: string[] }>;
  forget?(wish: { text: string; speaker: string; turns: string[] }): Awaitable<number | void>;
  snapshot?(path: string): Awaitable<void>;
  close(): Awaitable<void>;
  progress(done: number, total?: number | null, note?: string): void;
}

export function log(text: unknown, level?: string): void;
export function load(name: string): Promise<any>;
export function chat(messages: string | object[], params?: object): Promise<any>;
export function embed(texts: string[]): Promise<number[][]>;
export function serve(type: new () => Memory): void;

import type { SpeechInput } from './speech';

/** A message of a client of a speech socket. Each kind of the contract is some of these. */
export interface SpeechMessage {
  /** Added to the text of its context; empty at the end, null for none. */
  text: string | null;
  contextId: string | null;
  /** Of the context that the message opens; null for those of the voice. */
  settings: SpeechInput['settings'];
  /** How many characters there must be before each chunk is spoken, the last for all that follow; null for sentences. */
  schedule: readonly number[] | null;
  /** Speaks all of the text now, or as much as is enough. */
  speak: 'all' | 'trigger' | 'ready';
  closesContext: boolean;
  closesSocket: boolean;
  /** Who the client is, in the first message. */
  credential: SocketCredential | null;
}

export type SocketCredential = { key: string } | { token: string };

/** What the address of a socket says about it. */
export interface SpeechSocketOptions {
  voiceId: string;
  /** Whether there may be several contexts, which messages name. */
  isMulti: boolean;
  /** Each message is a sentence or a phrase. */
  isAutomatic: boolean;
  /** Without a message. */
  timeoutMs: number;
  /** How everything is spoken. */
  input: Omit<SpeechInput, 'text'>;
  credential: SocketCredential | null;
  /** @throws DomainError `malformed_json`, ValidationProblem */
  readMessage: (data: Buffer, isBinary: boolean) => SpeechMessage;
}

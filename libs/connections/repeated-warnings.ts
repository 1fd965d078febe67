const WINDOW_MS = 60_000;
/** Different messages of one source that are logged in a minute. */
const DISTINCT = 5;

/** Logs the warnings of something that is tried again and again: each message once a minute, with how many were left out. */
export class RepeatedWarnings {
  private readonly seen = new Set<string>();
  private endsAtMs = -Infinity;
  private leftOut = 0;

  constructor(
    private readonly log: (message: string) => void,
    private readonly nowMs = () => performance.now(),
  ) {}

  warn(message: string): void {
    if (this.nowMs() >= this.endsAtMs) this.seen.clear();
    if (this.seen.has(message) || this.seen.size >= DISTINCT) return void (this.leftOut += 1);
    if (this.seen.size === 0) this.endsAtMs = this.nowMs() + WINDOW_MS;
    this.seen.add(message);
    this.log(this.leftOut > 0 ? `${message} (${this.leftOut} more since the last line)` : message);
    this.leftOut = 0;
  }
}

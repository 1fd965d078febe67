/** What one request has done to the credits. */
interface Entry {
  kind: 'charge' | 'hold';
  key: string;
  cost: number;
  period: number;
  open: boolean;
  /** Credits that were charged for good; null for a hold that has not been captured. */
  charged: number | null;
  refunded: boolean;
}

/** The ledger as it is meant, in a few lines: what tests compare the real one with. */
export class LedgerModel {
  readonly granted = new Map<string, number>();
  private readonly used = new Map<string, number>();
  private readonly entries = new Map<string, Entry>();
  private period = 0;

  constructor(
    readonly account: string,
    readonly limits: Map<string, number | null>,
    /** The keys that a key comes from. */
    readonly parentKeys: ReadonlyMap<string, readonly string[]> = new Map(),
  ) {}

  usedBy(subject: string, period = this.period): number {
    return this.used.get(`${subject} ${period}`) ?? 0;
  }

  take(kind: Entry['kind'], id: string, key: string, cost: number): string {
    const entry = this.entries.get(id);
    if (entry) {
      const same = entry.kind === kind && entry.key === key && entry.cost === cost;
      return same && (kind === 'charge' || entry.open) ? 'repeated' : 'conflict';
    }
    if (this.subjects(key).some((subject) => this.leftTo(subject) < cost)) return 'refused';
    const charged = kind === 'charge' ? cost : null;
    const { period } = this;
    this.entries.set(id, { kind, key, cost, period, open: kind === 'hold', charged, refunded: false });
    this.add(key, period, cost);
    return 'charged';
  }

  end(id: string, cost: number | null): string {
    const entry = this.entries.get(id);
    if (entry?.kind !== 'hold') return 'unknown';
    if (!entry.open) return entry.charged === cost ? 'repeated' : 'conflict';
    if (cost !== null && cost > entry.cost) return 'exceeded';
    entry.open = false;
    entry.charged = cost;
    this.add(entry.key, entry.period, (cost ?? 0) - entry.cost);
    return 'ended';
  }

  refund(id: string): number {
    const entry = this.entries.get(id);
    if (!entry || entry.charged === null || entry.refunded) return 0;
    entry.refunded = true;
    this.add(entry.key, entry.period, -entry.charged);
    return entry.charged;
  }

  grant(key: string | null, amount: number): void {
    for (const subject of this.subjects(key))
      this.granted.set(subject, (this.granted.get(subject) ?? 0) + amount);
  }

  passDeadlines(): void {
    for (const [id, entry] of this.entries) if (entry.open) this.end(id, null);
  }

  nextPeriod(): void {
    this.period += 1;
    this.granted.clear();
  }

  private leftTo(subject: string): number {
    const limit = this.limits.get(subject) ?? null;
    return limit === null ? Infinity : limit + (this.granted.get(subject) ?? 0) - this.usedBy(subject);
  }

  private add(key: string, period: number, amount: number): void {
    for (const subject of this.subjects(key))
      this.used.set(`${subject} ${period}`, this.usedBy(subject, period) + amount);
  }

  private subjects(key: string | null): string[] {
    return key === null ? [this.account] : [key, ...(this.parentKeys.get(key) ?? []), this.account];
  }
}

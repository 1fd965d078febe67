import type { BudgetSubject, BudgetWindow } from '../../libs/domain/credits/budget';

export type ModelBudget = BudgetSubject & {
  id: string;
  operations: string[] | null;
  amount: number;
  window: BudgetWindow;
  timeZone: string;
};

interface Entry {
  kind: 'charge' | 'hold';
  key: string;
  operation: string;
  endUser: string | null;
  cost: number;
  open: boolean;
  charged: number | null;
  refunded: boolean;
  /** The windows that it counted in. */
  windows: Count[];
}

/** What was used of a budget in one window. */
interface Count {
  endsMs: number;
  used: number;
  byEndUser: Map<string | null, number>;
}

const DAY_MS = 86_400_000;

/** Budgets as they are meant, in a few lines: what tests compare the real ones with. Accounts and keys have no limits here. */
export class BudgetModel {
  readonly budgets = new Map<string, ModelBudget>();
  readonly tags = new Map<string, string[]>();
  private readonly entries = new Map<string, Entry>();
  private readonly windows = new Map<string, Count>();

  constructor(private readonly parentKeys: ReadonlyMap<string, readonly string[]>) {}

  /** Its window is the one that it is added in, whenever it is first used. */
  add(budget: ModelBudget): void {
    this.budgets.set(budget.id, budget);
    this.windowOf(budget);
  }

  take(
    kind: Entry['kind'],
    id: string,
    of: Pick<Entry, 'key' | 'operation' | 'endUser'>,
    cost: number,
  ): string {
    const { key, operation, endUser } = of;
    const entry = this.entries.get(id);
    if (entry) {
      const same =
        entry.kind === kind && entry.key === key && entry.operation === operation && entry.cost === cost;
      return same && (kind === 'charge' || entry.open) ? 'repeated' : 'request_id_conflict';
    }
    const budgets = [...this.budgets.values()].filter((budget) => this.counts(budget, of));
    const windows = budgets.map((budget) => this.windowOf(budget));
    const usedOf = ({ subject }: ModelBudget, { used, byEndUser }: Count) =>
      subject === 'end_user' ? (byEndUser.get(endUser) ?? 0) : used;
    if (budgets.some((budget, index) => budget.amount - usedOf(budget, windows[index]!) < cost))
      return 'budget_spent';
    addTo(windows, endUser, cost);
    const charged = kind === 'charge' ? cost : null;
    this.entries.set(id, {
      kind,
      ...of,
      cost,
      open: kind === 'hold',
      charged,
      refunded: false,
      windows,
    });
    return 'charged';
  }

  end(id: string, cost: number | null): string {
    const entry = this.entries.get(id);
    if (entry?.kind !== 'hold') return 'unknown';
    if (!entry.open) return entry.charged === cost ? 'repeated' : 'conflict';
    if (cost !== null && cost > entry.cost) return 'exceeded';
    addTo(entry.windows, entry.endUser, (cost ?? 0) - entry.cost);
    Object.assign(entry, { open: false, charged: cost });
    return 'ended';
  }

  refund(id: string): number {
    const entry = this.entries.get(id);
    if (!entry || entry.charged === null || entry.refunded) return 0;
    entry.refunded = true;
    addTo(entry.windows, entry.endUser, -entry.charged);
    return entry.charged;
  }

  passDeadlines(): void {
    for (const [id, entry] of this.entries) if (entry.open) this.end(id, null);
  }

  pass(days: number): void {
    for (const window of this.windows.values()) window.endsMs -= days * DAY_MS;
  }

  used(): Record<string, number> {
    const budgets = [...this.budgets.values()];
    return Object.fromEntries(budgets.map((budget) => [budget.id, this.windowOf(budget).used]));
  }

  private counts(
    { subject, keyId, tag, operations }: ModelBudget,
    { key, operation, endUser }: Pick<Entry, 'key' | 'operation' | 'endUser'>,
  ): boolean {
    if (operations && !operations.includes(operation)) return false;
    const keys = [key, ...this.parentKeys.get(key)!];
    if (subject === 'key') return keys.includes(keyId);
    if (subject === 'tag') return keys.some((each) => this.tags.get(each)?.includes(tag));
    return subject === 'account' || endUser !== null;
  }

  /** The window that now is in: that of the last charge, or a new one when it has ended. */
  private windowOf(budget: ModelBudget): Count {
    const known = this.windows.get(budget.id);
    if (known && known.endsMs > Date.now()) return known;
    const window = { endsMs: endOf(budget, Date.now()), used: 0, byEndUser: new Map() };
    this.windows.set(budget.id, window);
    return window;
  }
}

function addTo(windows: readonly Count[], endUser: string | null, amount: number): void {
  for (const window of windows) {
    window.used += amount;
    window.byEndUser.set(endUser, (window.byEndUser.get(endUser) ?? 0) + amount);
  }
}

/** The first minute after `nowMs` at which the calendar of a time zone is in another day, week or month. */
function endOf({ window, timeZone }: ModelBudget, nowMs: number): number {
  const spanOf = spans(window, timeZone);
  const now = spanOf(nowMs);
  let [before, after] = [nowMs, nowMs + 32 * DAY_MS];
  while (after - before > 1_000) {
    const middle = (before + after) / 2;
    if (spanOf(middle) === now) before = middle;
    else after = middle;
  }
  return Math.round(after / 60_000) * 60_000;
}

/** Names the day, week or month that an instant is in. */
function spans(window: BudgetWindow, timeZone: string): (atMs: number) => string {
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return (atMs) => {
    const date = calendar.format(atMs);
    if (window === 'month') return date.slice(0, 7);
    const day = Math.floor(Date.parse(date) / DAY_MS);
    // 1 January 1970 was a Thursday.
    return String(window === 'week' ? Math.floor((day + 3) / 7) : day);
  };
}

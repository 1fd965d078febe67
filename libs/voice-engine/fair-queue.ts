/** Something that waits for its turn. */
export interface Waiting {
  readonly accountId: string;
  /** What its turn takes, in any unit. */
  readonly cost: number;
}

/** Accounts whose last turn is remembered; one that is not counts as if it had had none. */
const REMEMBERED = 10_000;

/**
 * A queue in which accounts take turns: next is the account whose last turn is longest ago, and within it what waits
 * longest. Between two turns of an account, every other account that waits has one.
 */
export class FairQueue<T extends Waiting> {
  /** What waits, of each account. */
  private readonly lines = new Map<string, T[]>();
  /** Number of the last turn of each account, in ascending order. */
  private readonly lastTurns = new Map<string, number>();
  private turn = 0;

  push(item: T): void {
    const line = this.lines.get(item.accountId);
    if (line) line.push(item);
    else this.lines.set(item.accountId, [item]);
  }

  take(): T | undefined {
    const [accountId] = this.inOrder(this.lines.keys());
    if (accountId === undefined) return undefined;
    const item = this.lines.get(accountId)?.[0];
    if (item) this.remove(item);
    this.noteTurn(accountId);
    return item;
  }

  /** Takes an item out, wherever it is. False when it does not wait. */
  remove(item: T): boolean {
    const line = this.lines.get(item.accountId);
    if (!line?.includes(item)) return false;
    const rest = line.filter((other) => other !== item);
    if (rest.length > 0) this.lines.set(item.accountId, rest);
    else this.lines.delete(item.accountId);
    return true;
  }

  /** The cost of everything that would be taken before one more item of this account. */
  costBefore(accountId: string): number {
    const own = this.lines.get(accountId)?.length ?? 0;
    let turns = own + 1;
    let cost = 0;
    for (const other of this.inOrder(new Set([...this.lines.keys(), accountId]))) {
      if (other === accountId) turns = own;
      cost += (this.lines.get(other) ?? []).slice(0, turns).reduce((sum, item) => sum + item.cost, 0);
    }
    return cost;
  }

  /** Accounts in the order of their next turns; those that have had none yet as they came. */
  private inOrder(accountIds: Iterable<string>): string[] {
    const lastTurn = (id: string) => this.lastTurns.get(id) ?? 0;
    return [...accountIds].sort((a, b) => lastTurn(a) - lastTurn(b));
  }

  private noteTurn(accountId: string): void {
    this.turn += 1;
    this.lastTurns.delete(accountId);
    this.lastTurns.set(accountId, this.turn);
    const [oldest] = this.lastTurns.keys();
    if (this.lastTurns.size > REMEMBERED && oldest !== undefined) this.lastTurns.delete(oldest);
  }
}

interface Event {
  action: string;
  at: string;
  address: string | null;
  target: { id: string };
  after: unknown;
}

/** An event, and how many refused sign-ins it stands for. */
export type Grouped<T> = T & { refusals?: { attempts: number; since: string } };

/**
 * Refused sign-ins as one person from one address that no other event came between, as one: with how many there were, and
 * since when.
 *
 * @param events newest first
 */
export function groupSignIns<T extends Event>(events: readonly T[]): Grouped<T>[] {
  const groups: Grouped<T>[] = [];
  let run = new Map<string, Grouped<T>>();
  for (const event of events) {
    if (event.action !== 'staff.sign_in_refused') {
      run = new Map();
      groups.push(event);
      continue;
    }
    const key = `${event.target.id} ${event.address}`;
    const group = run.get(key);
    const attempts = (group?.refusals?.attempts ?? 0) + attemptsOf(event);
    const refusals = { attempts, since: event.at };
    if (group) group.refusals = refusals;
    else {
      const begun = { ...event, refusals };
      run.set(key, begun);
      groups.push(begun);
    }
  }
  return groups;
}

/** An event stands for the attempts since the one before it. */
function attemptsOf({ after }: Event): number {
  const attempts = (after as { attempts?: unknown } | null)?.attempts;
  return typeof attempts === 'number' ? attempts : 1;
}

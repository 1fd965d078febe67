/** How urgent something is; without either, it is bad now. */
export interface Urgency {
  /** Keeps every customer waiting. */
  isOutage?: boolean;
  /** Not yet bad: it will be. */
  isEarly?: boolean;
}

/** What keeps all customers waiting, then what is bad now, then what will be; what is equally urgent stays in its order. */
export function worstFirst<T extends Urgency>(items: readonly T[]): T[] {
  const rank = ({ isOutage, isEarly }: Urgency) => (isOutage ? 0 : isEarly ? 2 : 1);
  return items.toSorted((a, b) => rank(a) - rank(b));
}

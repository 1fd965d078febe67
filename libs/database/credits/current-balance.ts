/**
 * What a balance has of this period, in SQL: nothing when its period has ended, although no charge has moved it into the next one
 * yet. For lists of many keys; `current_credits` also knows which holds have lapsed.
 */
export const inPeriod = (balance: string, column: 'granted' | 'used') =>
  `(CASE WHEN ${balance}.period_end > now() THEN ${balance}.${column} ELSE 0 END)`;

/** Which share of its credits the subject of a balance has used in this period, in SQL; null for no limit. */
export const creditShare = (balance: string) =>
  `credit_share(${balance}.credit_limit, ${balance}.granted, ${balance}.used, ${balance}.period_end)`;

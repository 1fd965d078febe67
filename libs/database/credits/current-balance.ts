/**
 * What a balance has of this period, in SQL: nothing when its period has ended, although no charge has moved it into the next one
 * yet. For lists of many keys; `current_credits` also knows which holds have lapsed.
 */
export const inPeriod = (balance: string, column: 'granted' | 'used') =>
  `(CASE WHEN ${balance}.period_end > now() THEN ${balance}.${column} ELSE 0 END)`;

/** What is left of prepaid grants to the subject of a balance, in SQL: only accounts have some. */
export const prepaidOf = (balance: string) =>
  `(CASE WHEN ${balance}.has_prepaid THEN prepaid_left(${balance}.subject_id) ELSE 0 END)`;

/** Which share of its credits the subject of a balance has used in this period, in SQL; null for no limit. */
export const creditShare = (balance: string) => {
  const shareOf = (granted: string) =>
    `credit_share(${balance}.credit_limit, ${granted}, ${balance}.used, ${balance}.period_end)`;
  const granted = `${balance}.granted`;
  // Without prepaid credits the planner puts the expression in the place of the call.
  return `(CASE WHEN ${balance}.has_prepaid THEN ${shareOf(`${granted} + prepaid_left(${balance}.subject_id)`)} ELSE ${shareOf(granted)} END)`;
};

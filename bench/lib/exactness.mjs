const CREDITS = 5_000;
const CONNECTIONS = 64;
/** Two processes, and one of them is killed when so much has been served. */
const KILL_AT = 0.4;

/**
 * Spends one key's credits through two processes at once and kills one of them on the way.
 *
 * @param subjects two servers on the same balance of `credits`
 * @param spend (baseUrl) → true when a credit was spent, false when it was refused
 * @returns how many were served, for a table
 */
export async function spendAll(subjects, spend, credits = CREDITS) {
  let served = 0;
  let unanswered = 0;
  let refusedInARow = 0;
  let killed = false;
  const worker = async (_, place) => {
    while (refusedInARow < CONNECTIONS) {
      const subject = killed ? subjects[1] : subjects[place % 2];
      try {
        if (await spend(subject.baseUrl)) [served, refusedInARow] = [served + 1, 0];
        else refusedInARow += 1;
      } catch {
        unanswered += 1;
        if (unanswered > credits) return;
      }
      if (!killed && served >= credits * KILL_AT) {
        killed = true;
        subjects[0].signal('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return { served, unanswered, credits };
}

export const EXACTNESS_CREDITS = CREDITS;

export function verdict({ served, credits, unanswered }) {
  const percent = (((served - credits) / credits) * 100).toFixed(1);
  if (served > credits) return `${served} of ${credits}: ${percent} % too many`;
  return `${served} of ${credits}, ${unanswered} responses lost with the process`;
}

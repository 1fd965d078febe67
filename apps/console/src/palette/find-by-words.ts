/** Those with words that begin with every word that was typed; when there are none, with one letter of each wrong. */
export function findByWords<T>(all: readonly T[], textOf: (one: T) => string, typed: string): T[] {
  const requested = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const find = (begins: (known: string, word: string) => boolean) =>
    all.filter((one) => {
      const known = textOf(one)
        .toLowerCase()
        .split(/[\s,:.]+/);
      return requested.every((word) => known.some((each) => begins(each, word)));
    });
  const exact = find((known, word) => known.startsWith(word));
  return exact.length > 0 ? exact : find(beginsNearly);
}

/** Whether a word of four letters or more begins another one but for a letter that is wrong, missing, too many or swapped. */
function beginsNearly(known: string, word: string): boolean {
  if (known.startsWith(word)) return true;
  if (word.length < 4) return false;
  const at = [...word].findIndex((letter, place) => known[place] !== letter);
  const [rest, wrong] = [word.slice(at), known.slice(at)];
  const swapped =
    rest.slice(0, 2) === (wrong[1] ?? '') + (wrong[0] ?? '') && wrong.slice(2).startsWith(rest.slice(2));
  return (
    swapped ||
    wrong.slice(1).startsWith(rest.slice(1)) ||
    wrong.slice(1).startsWith(rest) ||
    wrong.startsWith(rest.slice(1))
  );
}

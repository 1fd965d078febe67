const PROBLEMS_NAMED = 20;

/** A file of keys that is not accepted: each problem with its line, its field, the input and what is accepted. */
export class KeyFileError extends Error {
  constructor(readonly problems: string[]) {
    const named = problems.slice(0, PROBLEMS_NAMED);
    const more = problems.length - named.length;
    super([...named, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'));
    this.name = 'KeyFileError';
  }
}

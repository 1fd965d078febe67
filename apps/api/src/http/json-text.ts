/** Deeper JSON than any operation takes. */
const MAX_DEPTH = 32;
/** More values than the largest operation takes: a thousand findings of a secret scanner, or entries of a list, with their fields. */
const MAX_VALUES = 10_000;

/** As character codes: a text's characters would be separate texts. */
const [QUOTE, BACKSLASH, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [...'"\\,{}[]'].map(
  (character) => character.charCodeAt(0),
);

/**
 * The value of a JSON text that a client sent. Depth and number of values are bounded before anything is built, and no
 * object has a prototype, so that `constructor` or `toString` is a name like any other.
 *
 * @throws SyntaxError that says what is not accepted
 */
export function readJson(text: string): unknown {
  refuseOversized(text);
  return withoutPrototypes(JSON.parse(text) as unknown);
}

/** Looks at each character once. In a text that is not JSON it may count wrongly; that text is refused in any case. */
function refuseOversized(text: string): void {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (inString) {
      if (character === BACKSLASH) index += 1;
      else if (character === QUOTE) inString = false;
    } else if (character === QUOTE) inString = true;
    else if (character === COMMA) values += 1;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      depth += 1;
      values += 1;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_DEPTH) throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
    if (values > MAX_VALUES) throw new SyntaxError(`it has more than ${MAX_VALUES} members and items`);
  }
}

/** Refuses the one name that would set a prototype when an object is copied member by member. */
function withoutPrototypes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    value.forEach(withoutPrototypes);
    return value;
  }
  if (Object.hasOwn(value, '__proto__')) throw new SyntaxError('a member must not be named __proto__');
  Object.values(value).forEach(withoutPrototypes);
  return Object.setPrototypeOf(value, null);
}

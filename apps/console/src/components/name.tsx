const SHOWN_LENGTH = 80;

/** More marks than these on one letter are not writing: they would cover what is above and below. */
const TOO_MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Beginnings and ends of another direction (Unicode Standard Annex #9). */
const TURNS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name that a person has chosen: text only, isolated so that it neither turns around nor covers what is beside it. */
export function Name({ children }: { children: string }) {
  const shown = shorten(thinMarks(children));
  return (
    <bdi className="gr-name" title={children.slice(0, 500)}>
      {shown}
    </bdi>
  );
}

/** Any other text that a person has written, in full, and just as harmless. */
export function UserText({ children }: { children: string }) {
  return <bdi>{thinMarks(children)}</bdi>;
}

/** A name for places that know nothing but letters: a browser's tab, the middle of a sentence. */
export function plainName(name: string): string {
  return thinMarks(name).replace(TURNS, '');
}

function thinMarks(text: string): string {
  return text.replace(TOO_MANY_MARKS, '$1');
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= SHOWN_LENGTH ? text : `${characters.slice(0, SHOWN_LENGTH).join('')}…`;
}

const SHOWN_LENGTH = 80;

/** More marks than these on one letter are no writing: they would cover what is above and below. */
const TOO_MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/** A name that somebody has chosen: text only, kept from turning around or covering what is beside it. */
export function Name({ children }: { children: string }) {
  const shown = shorten(children.replace(TOO_MANY_MARKS, '$1'));
  return (
    <bdi className="gr-name" title={shown === children ? undefined : children.slice(0, 500)}>
      {shown}
    </bdi>
  );
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= SHOWN_LENGTH ? text : `${characters.slice(0, SHOWN_LENGTH).join('')}…`;
}

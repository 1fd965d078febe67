/** The colour of a series beside its name; a shape, so that it is printed as well. */
export function Swatch({ colour }: { colour: string }) {
  return (
    <svg width="0.7rem" height="0.7rem" viewBox="0 0 10 10" aria-hidden>
      <rect width={10} height={10} rx={2} fill={colour} />
    </svg>
  );
}

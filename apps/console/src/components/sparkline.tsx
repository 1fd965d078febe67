/** Of one bar and the room behind it, and of the picture. */
const BAR = 3;
const STEP = 4;
const HEIGHT = 18;

/** The course of a number in the height of a line: no axes, so its label says what matters of it. A place with nothing has a stub. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(1, ...values);
  const heights = values.map((value) => (value === 0 ? 1 : Math.max(2, Math.round((value / most) * HEIGHT))));
  return (
    <svg
      fill="var(--mark, var(--d1))"
      display="block"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`}
      width={values.length * STEP}
      height={HEIGHT}
    >
      {heights.map((height, place) => (
        <rect
          key={place}
          fill={values[place] === 0 ? 'var(--line-strong)' : undefined}
          x={place * STEP}
          y={HEIGHT - height}
          width={BAR}
          height={height}
        />
      ))}
    </svg>
  );
}

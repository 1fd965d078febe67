import { Meter } from './meter';

/** How much of something is done, in words and as a bar. */
export function ProgressLine(props: {
  done: number;
  total: number;
  /** What the bar counts, for those who cannot see it. */
  label: string;
  /** The same in a sentence. */
  children: string;
}) {
  const { done, total, label, children } = props;
  return (
    <div>
      <div role="status">{children}</div>
      <Meter share={total === 0 ? 1 : done / total} tone="good" label={label} />
    </div>
  );
}

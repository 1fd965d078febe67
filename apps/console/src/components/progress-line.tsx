import { Progress } from '@mantine/core';

/** How much of something is done, in words and as a bar. */
export function ProgressLine({
  done,
  total,
  label,
  children,
}: {
  done: number;
  total: number;
  /** What the bar counts, for those who cannot see it. */
  label: string;
  /** The same in a sentence. */
  children: string;
}) {
  return (
    <div>
      <div role="status">{children}</div>
      <Progress.Root>
        <Progress.Section value={total === 0 ? 100 : (done / total) * 100} aria-label={label} />
      </Progress.Root>
    </div>
  );
}

import { Group } from '@mantine/core';
import { formatNumber } from '../components/number';

/** Two parts of a whole. */
export function ShareBar({
  good,
  bad,
  goodWords,
  badWords,
}: {
  good: number;
  bad: number;
  goodWords: string;
  badWords: string;
}) {
  const share = good + bad === 0 ? 0 : (good / (good + bad)) * 100;
  const text = `${formatNumber(good)} ${goodWords}, ${formatNumber(bad)} ${badWords}`;
  return (
    <div>
      <Group
        role="img"
        aria-label={text}
        gap={2}
        align="stretch"
        wrap="nowrap"
        h={12}
        mt={6}
        style={{ borderRadius: 6, overflow: 'hidden' }}
      >
        <span style={{ width: `${share}%`, background: 'var(--d1)' }} />
        <span style={{ width: `${100 - share}%`, background: 'var(--bad-mark)' }} />
      </Group>
      <div className="gr-dimmed" aria-hidden>
        {text}
      </div>
    </div>
  );
}

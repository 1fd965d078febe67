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
      <div role="img" aria-label={text} className="gr-share">
        <span style={{ width: `${share}%`, background: 'var(--d1)' }} />
        <span style={{ width: `${100 - share}%`, background: 'var(--bad-mark)' }} />
      </div>
      <div className="gr-dimmed" aria-hidden>
        {text}
      </div>
    </div>
  );
}

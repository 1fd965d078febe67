import { formatNumber } from './number';

export interface Bar {
  label: string;
  good: number;
  bad: number;
}

const WIDTH = 600;
const HEIGHT = 110;

/** Numbers over time as stacked bars; `summary` says the same in words. */
export function BarChart({
  bars,
  summary,
  good,
  bad,
}: {
  bars: Bar[];
  summary: string;
  good: string;
  /** What is stacked on the others, when there is such a thing. */
  bad?: string;
}) {
  const highest = Math.max(1, ...bars.map((bar) => bar.good + bar.bad));
  const step = WIDTH / Math.max(1, bars.length);
  const scale = (value: number) => (value / highest) * (HEIGHT - 6);
  return (
    <figure style={{ margin: 0 }}>
      <svg
        className="gr-chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {bars.map(({ label, good: goodCount, bad: badCount }, place) => (
          <g key={label}>
            <title>{`${label}: ${formatNumber(goodCount)} ${good}${bad === undefined ? '' : `, ${formatNumber(badCount)} ${bad}`}`}</title>
            <rect x={place * step} width={step} y={0} height={HEIGHT} fillOpacity={0} />
            <rect
              x={place * step + step * 0.1}
              width={step * 0.8}
              y={HEIGHT - scale(goodCount)}
              height={scale(goodCount)}
            />
            <rect
              data-bad
              x={place * step + step * 0.1}
              width={step * 0.8}
              y={HEIGHT - scale(goodCount + badCount)}
              height={scale(badCount)}
            />
          </g>
        ))}
      </svg>
      <div className="gr-chart-ends" aria-hidden>
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <figcaption className="gr-dimmed" style={{ fontSize: '0.85rem' }}>
        {summary}
      </figcaption>
    </figure>
  );
}

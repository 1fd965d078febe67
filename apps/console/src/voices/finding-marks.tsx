import { Fragment } from 'react';
import { axisValues, type Finding } from './findings';

/** The findings over the spectrogram. They are listed in words beside it. */
export function FindingMarks({
  findings,
  durationSecs,
  highestHz,
}: {
  findings: Finding[];
  durationSecs: number;
  highestHz: number;
}) {
  const across = (secs: number) => `${Math.min(100, (secs / durationSecs) * 100)}%`;
  return (
    <div className="gr-marks" aria-hidden>
      {findings.map(({ kind, stretches, linesHz }) => (
        <Fragment key={kind}>
          {stretches.map(({ fromSecs, toSecs }) => (
            <span
              key={fromSecs}
              data-finding={kind}
              style={{ left: across(fromSecs), width: across(toSecs - fromSecs) }}
            />
          ))}
          {linesHz
            .filter((hz) => hz <= highestHz)
            .map((hz) => (
              <hr key={hz} data-finding={kind} style={{ bottom: `${(hz / highestHz) * 100}%` }} />
            ))}
        </Fragment>
      ))}
    </div>
  );
}

/** kHz, upwards, inside the spectrogram. */
export function FrequencyAxis({ highestHz }: { highestHz: number }) {
  return (
    <div className="gr-kilohertz" aria-hidden>
      {axisValues(highestHz / 1_000, 5)
        .slice(1)
        .map((kiloHertz) => (
          <span key={kiloHertz} data-axis style={{ bottom: `${(kiloHertz * 100_000) / highestHz}%` }}>
            {kiloHertz} kHz
          </span>
        ))}
    </div>
  );
}

/** Seconds, under the spectrogram. */
export function TimeAxis({ durationSecs }: { durationSecs: number }) {
  return (
    <div className="gr-dimmed gr-seconds" aria-hidden>
      {axisValues(durationSecs, 5)
        .filter((secs) => secs <= durationSecs * 0.93)
        .map((secs) => (
          <span key={secs} style={{ left: `${(secs / durationSecs) * 100}%` }}>
            {Number(secs.toFixed(1))} s
          </span>
        ))}
    </div>
  );
}

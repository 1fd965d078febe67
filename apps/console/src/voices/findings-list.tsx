import type { Stretch } from '@app/domain/reviews/recording-places';
import { timeText, type Finding } from './findings';

/** What the review has found and where, in words; each place plays from there. */
export function FindingsList({
  findings,
  onPlay,
}: {
  findings: Finding[];
  onPlay: (finding: Finding, stretch: Stretch | null) => void;
}) {
  return (
    <ul className="gr-findings" aria-label="Places in the recording">
      {findings.map((finding) => (
        <li key={finding.kind} data-finding={finding.kind}>
          <i aria-hidden />
          {finding.stretches.length === 0 ? (
            <button type="button" onClick={() => onPlay(finding, null)}>
              {finding.label}
            </button>
          ) : (
            <>
              <span>{finding.label}:</span>
              {finding.stretches.map((stretch) => (
                <button
                  key={stretch.fromSecs}
                  type="button"
                  aria-label={`${finding.label} from ${timeText(stretch.fromSecs)} to ${timeText(stretch.toSecs)}: play from there`}
                  onClick={() => onPlay(finding, stretch)}
                >
                  {timeText(stretch.fromSecs)}
                </button>
              ))}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

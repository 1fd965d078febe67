import { DAY_MS } from '@app/domain/common/utc-days';

/** A calendar of some days from now on, for things that are compared on one axis. */
export interface Calendar {
  from: number;
  days: number;
}

const placeOf = (at: number, { from, days }: Calendar): string =>
  `${Math.min(1, Math.max(0, (at - from) / (days * DAY_MS))) * 100}%`;

export function LaneAxis({ calendar, text }: { calendar: Calendar; text: (at: number) => string }) {
  const weeks = Array.from({ length: Math.ceil(calendar.days / 7) }, (_, week) => week * 7 * DAY_MS);
  return (
    <div className="gr-lane-axis" aria-hidden>
      {weeks.map((after) => (
        <span key={after} style={{ left: placeOf(calendar.from + after, calendar), paddingLeft: after && 4 }}>
          {after === 0 ? 'today' : text(calendar.from + after)}
        </span>
      ))}
    </div>
  );
}

/** How long something lasts, until it is renewed: solid what it has, hatched what it would lack. */
export function Lane(props: {
  calendar: Calendar;
  /** Not before `renewsAt` when it lasts. */
  endsAt: number;
  renewsAt: number;
  /** When something that belongs to it expires, a diamond. */
  expiresAt?: number;
  tone: 'good' | 'warn' | 'bad';
  label: string;
}) {
  const { calendar, endsAt, renewsAt, expiresAt, tone, label } = props;
  const at = (instant: number) => placeOf(instant, calendar);
  const isShort = endsAt < renewsAt;
  return (
    <div className="gr-lane" role="img" aria-label={label} data-tone={tone}>
      <i data-is="left" style={{ width: at(Math.min(endsAt, renewsAt)) }} />
      {isShort && <i data-is="lacks" style={{ left: at(endsAt), right: `calc(100% - ${at(renewsAt)})` }} />}
      <i data-is="renewed" style={{ left: at(renewsAt), right: 0 }} />
      <i data-is="renews" style={{ left: at(renewsAt) }} />
      {expiresAt !== undefined && <i data-is="expires" style={{ left: at(expiresAt) }} />}
    </div>
  );
}

/** What a check of the installation found. */
export interface Finding {
  /** `skipped`: it cannot be said while another check fails, whose repair it waits for. */
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One sentence with the figures; for anything but ok, also what to do. */
  detail: string;
}

const CLOCK_WARNING_SECS = 2;
const CLOCK_FAILURE_SECS = 60;

/** How this machine's clock goes with another's. */
export function evaluateClock(other: string, differenceSecs: number): Finding {
  const detail = `This machine's clock and ${other}'s differ by ${differenceSecs.toFixed(1)} s.`;
  if (differenceSecs < CLOCK_WARNING_SECS) return { status: 'ok', detail };
  const advice =
    'Set both by NTP: credits and expiries go by the database, logs and delayed jobs by this machine.';
  const status = differenceSecs < CLOCK_FAILURE_SECS ? 'warning' : 'failed';
  return { status, detail: `${detail} ${advice}` };
}

/** Settings of PostgreSQL by which a change that was confirmed survives a crash, each `on` unless someone has changed it. */
export const DURABLE_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** Whether what was confirmed survives a crash, by the values of the settings that must be on. */
export function evaluateDurability(values: Record<(typeof DURABLE_SETTINGS)[number], string>): Finding {
  const off = DURABLE_SETTINGS.filter((name) => values[name] === 'off');
  if (off.length === 0) return { status: 'ok', detail: 'What the database has confirmed survives a crash.' };
  return {
    status: off.some((name) => name !== 'synchronous_commit') ? 'failed' : 'warning',
    detail: `${off.join(' and ')} ${off.length > 1 ? 'are' : 'is'} off: a crash of the database loses charges that were confirmed. Set ${off.map((name) => `${name} = on`).join(', ')}.`,
  };
}

/** What a replica says of itself. */
export interface ReplicaState {
  /** Whether it is a replica at all. */
  follows: boolean;
  /** Whether it has everything that the primary had written. */
  isCaughtUp: boolean;
  /** Age of the newest change that it has, in seconds. */
  behindSecs: number;
}

const REPLICA_WARNING_SECS = 60;

/** Whether lists may be read from a replica. One that has nothing to catch up on is not behind, however old its last change. */
export function evaluateReplica({ follows, isCaughtUp, behindSecs }: ReplicaState): Finding {
  if (!follows)
    return {
      status: 'failed',
      detail:
        'DATABASE_READ_URL is not a replica but a separate server: lists show what is there. Name a replica, or unset it.',
    };
  if (isCaughtUp || behindSecs < REPLICA_WARNING_SECS)
    return { status: 'ok', detail: 'The replica follows the primary.' };
  return {
    status: 'warning',
    detail: `The replica is ${Math.round(behindSecs)} s behind: lists show what was then. Look at its replication.`,
  };
}

/** A cell that a reporting database follows. */
export interface FollowedCell {
  cell: string;
  isEnabled: boolean;
  /** Whether a process of the server receives changes. */
  isRunning: boolean;
  /** Tables that are not copied yet. */
  copying: number;
  /** Seconds since the last message of the cell; null while none has come. */
  silentSecs: number | null;
  /** Times that applying or copying has failed. */
  errors: number;
}

/** What a reporting database has of the cells. */
export interface ReportState {
  /** The cell that is examined. */
  own: string;
  cells: FollowedCell[];
  /** Seconds until the reporting database had what this cell had written; null when it did not within the time of the check. */
  behindSecs: number | null;
  /** Bytes of the log of this cell that it has not confirmed; null when this cell has no slot for it. */
  bytesBehind: number | null;
  /** Tables that this cell does not publish as this release reads them. */
  lacking: string[];
  /** Migrations that only one of the two has. */
  migrations: { onlyCell: string[]; onlyReport: string[] };
}

/** Whether lists may be read from a reporting database. */
export function evaluateReport(state: ReportState): Finding {
  const failures = [...schemaProblems(state), ...followProblems(state)];
  if (failures.length > 0) return { status: 'failed', detail: failures.join(' ') };
  const delays = state.cells.flatMap(delaysOf);
  const { own, behindSecs, bytesBehind } = state;
  if (behindSecs === null)
    delays.push(
      `The reporting database has not confirmed ${bytesBehind} bytes of this cell, '${own}': lists show what was then.`,
    );
  if (delays.length > 0) return { status: 'warning', detail: delays.join(' ') };
  const others = state.cells.filter(({ cell }) => cell !== own).map(describeCell);
  return {
    status: 'ok',
    detail:
      [`The reporting database is ${behindSecs!.toFixed(1)} s behind this cell, '${own}'`, ...others].join(
        '; ',
      ) + '.',
  };
}

function schemaProblems({ lacking, migrations: { onlyCell, onlyReport } }: ReportState): string[] {
  const migrate = 'Run "greenroom migrate" with its DATABASE_URL.';
  return [
    ...(lacking.length > 0
      ? [
          `This cell does not publish ${lacking.join(', ')} as lists need it. Run "greenroom cells publish --apply".`,
        ]
      : []),
    ...(onlyCell.length > 0 ? [`The reporting database lacks ${onlyCell.join(', ')}. ${migrate}`] : []),
    ...(onlyReport.length > 0
      ? [`The reporting database is of a newer release (${onlyReport.join(', ')}): upgrade this cell.`]
      : []),
  ];
}

function followProblems({ own, cells, bytesBehind }: ReportState): string[] {
  const subscribe = 'Run "greenroom cells subscribe --apply" with the variables of that cell.';
  const stopped = cells.flatMap(({ cell, isEnabled, isRunning, errors }) => {
    if (!isEnabled) return [`The subscription to the cell '${cell}' is disabled. ${subscribe}`];
    if (!isRunning)
      return [
        `Nothing comes from the cell '${cell}' (errors so far: ${errors}). The log of the reporting database's server says why.`,
      ];
    return [];
  });
  if (bytesBehind !== null && cells.some(({ cell }) => cell === own)) return stopped;
  return [`The reporting database does not follow this cell, '${own}'. ${subscribe}`, ...stopped];
}

function delaysOf({ cell, copying, silentSecs }: FollowedCell): string[] {
  if (copying > 0) return [`Tables of the cell '${cell}' that are still being copied: ${copying}.`];
  if (silentSecs !== null && silentSecs < REPLICA_WARNING_SECS) return [];
  return [
    `The cell '${cell}' has sent nothing for ${silentSecs === null ? 'some time' : `${Math.round(silentSecs)} s`}.`,
  ];
}

function describeCell({ cell, silentSecs, errors }: FollowedCell): string {
  return `the last message of '${cell}' is ${silentSecs!.toFixed(1)} s old (errors so far: ${errors})`;
}

/** Whether a Redis takes jobs. */
export function evaluateRedisWrites(refusal: string | null): Finding {
  if (refusal === null) return { status: 'ok', detail: 'Redis takes jobs.' };
  return {
    status: 'failed',
    detail: `Redis responds but takes no jobs: ${refusal} Reviews, webhooks and alerts wait in PostgreSQL until it does.`,
  };
}

/** In place of a `maxmemory-policy`: an access list of Redis forbids to read it. */
export const DENIED = 'denied';

const OLDEST_REDIS = [6, 2] as const;

/** Whether a Redis may keep queues. A version that does not look like one is taken for new enough. */
export function evaluateRedis(version: string, evictionPolicy: string | null): Finding {
  const name = `Redis ${version}`;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1]))
    return {
      status: 'failed',
      detail: `${name} is too old: queues need ${OLDEST_REDIS.join('.')} or newer.`,
    };
  if (evictionPolicy === DENIED)
    return {
      status: 'warning',
      detail: `The user of REDIS_URL may not read the settings of ${name}: allow it +config|get, or make sure that maxmemory-policy is noeviction: any other loses jobs.`,
    };
  if (evictionPolicy === null)
    return {
      status: 'warning',
      detail: `${name} does not report its maxmemory-policy. Make sure that it is noeviction: any other loses jobs.`,
    };
  if (evictionPolicy !== 'noeviction')
    return {
      status: 'warning',
      detail: `${name} evicts keys when its memory is full (maxmemory-policy ${evictionPolicy}) and with them jobs. Set it to noeviction.`,
    };
  return { status: 'ok', detail: `${name} responds and evicts nothing.` };
}

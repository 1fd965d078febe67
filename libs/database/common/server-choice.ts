import { Client, type ClientConfig } from 'pg';
import { connectInTime } from './connect-in-time';
import { inListeningTime } from './listening-time';

/** What `target_session_attrs` asks of a server, by the names of libpq. */
const ACCEPTS: Record<string, (server: { follows: boolean; isReadOnly: boolean }) => boolean> = {
  any: () => true,
  primary: ({ follows }) => !follows,
  standby: ({ follows }) => follows,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
};

const STATE = `SELECT pg_is_in_recovery() AS follows, current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;
/** SQLSTATE of a server that is not ready yet. */
const CANNOT_CONNECT_NOW = '57P03';
const PROBE_MS = 2_000;

export interface Place {
  host: string;
  port: number;
}

const choices = new Map<string, ServerChoice>();

/** Which of the servers of a URL with several is used: one that is as `target_session_attrs` says, until it no longer is. */
export class ServerChoice {
  private chosen: Promise<Place> | null = null;

  private constructor(
    private readonly config: ClientConfig,
    private readonly places: Place[],
    private readonly target: string,
  ) {}

  /** The choice of a URL, which its connections share; null for a URL with one server. */
  static of(connectionString = ''): ServerChoice | null {
    const { searchParams } = new URL(connectionString || 'none:');
    const hosts = searchParams.get('hosts');
    if (hosts === null) return null;
    const known = choices.get(connectionString);
    if (known) return known;
    const target = searchParams.get('target_session_attrs') ?? 'read-write';
    const created = new ServerChoice({ connectionString }, hosts.split(',').map(placeOf), target);
    choices.set(connectionString, created);
    return created;
  }

  /** @throws Error that says of each server why it cannot be used */
  async get(): Promise<Place> {
    this.chosen ??= this.choose();
    try {
      return await this.chosen;
    } catch (error) {
      this.invalidate();
      throw error;
    }
  }

  /** For a server that did not respond, or takes no writes: the next connection looks for one again. */
  invalidate(): void {
    this.chosen = null;
  }

  private async choose(): Promise<Place> {
    try {
      return await Promise.any(this.places.map((place) => this.probe(place)));
    } catch (error) {
      const reasons = (error as AggregateError).errors.map((reason: Error) => reason.message);
      const failure = new Error(`No server can be used. ${reasons.join('; ')}.`, { cause: error });
      throw Object.assign(failure, { code: CANNOT_CONNECT_NOW });
    }
  }

  private async probe(place: Place): Promise<Place> {
    const client = new Client(this.config);
    Object.assign(client, place);
    client.on('error', () => undefined);
    try {
      await connectInTime(client, () => client.connect(), PROBE_MS);
      const state = client.query<{ follows: boolean; isReadOnly: boolean }>(STATE);
      const { rows } = await inListeningTime(state, PROBE_MS, () => {
        throw new Error('timeout expired');
      });
      if (ACCEPTS[this.target]!(rows[0]!)) return place;
      throw new Error(`it is not ${this.target}`);
    } catch (error) {
      const reason = (error as Error).message || String((error as { code?: string }).code);
      throw new Error(`${place.host}:${place.port}: ${reason}`, { cause: error });
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}

function placeOf(text: string): Place {
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(text)!;
  return { host: host!, port: Number(port) };
}

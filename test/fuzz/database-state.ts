import type { DataSource } from 'typeorm';

/** What is written when a request is refused, too: who asked and how often, and what goes by itself. */
const WRITTEN_ANYWAY = new Set([
  'public.api_process',
  'public.api_key_secret',
  'public.api_key_use',
  'public.key_refusal',
  'public.observed_traffic',
  'public.rate_window',
  'public.generation_slot',
  'public.service_credential',
  'staff_auth.attempt_bucket',
  'staff_auth.session',
]);

/** For each table how many rows it has and which transaction has written last. */
export class DatabaseState {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly query: string,
  ) {}

  static async of(dataSource: DataSource): Promise<DatabaseState> {
    const tables = await dataSource.query<{ name: string }[]>(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname IN ('public', 'staff_auth')`,
    );
    const looks = tables
      .filter(({ name }) => !WRITTEN_ANYWAY.has(name))
      .map(
        ({ name }) =>
          `SELECT '${name}' AS name, count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) AS state FROM ${name}`,
      );
    return new DatabaseState(dataSource, looks.join(' UNION ALL '));
  }

  async read(): Promise<Map<string, string>> {
    const rows = await this.dataSource.query<{ name: string; state: string }[]>(this.query);
    return new Map(rows.map(({ name, state }) => [name, state]));
  }
}

/** The tables that were written to between two looks. */
export function changedTables(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...after].filter(([name, state]) => before.get(name) !== state).map(([name]) => name);
}

/** SQLSTATE `query_canceled`: PostgreSQL has ended a statement that took longer than it may. */
const QUERY_CANCELED = '57014';

/** Whether a query failed because it took longer than its `statement_timeout`. */
export function isStatementTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === QUERY_CANCELED;
}

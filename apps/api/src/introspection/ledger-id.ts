/**
 * The id under which the ledger knows a request of another service: never that of a request of ours, whatever the service
 * has chosen.
 */
export function toLedgerId(requestId: string): string {
  return `service/${requestId}`;
}

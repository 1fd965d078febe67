export interface ChargeRequest {
  keyId: string;
  accountId: string;
  /** Whole credits, 0 or more. */
  cost: number;
  operation: string;
  requestId: string;
  /** Which user of the customer it is for, by the customer's id for them. */
  endUser?: string | null;
  /** Sets the credits aside for so long instead of charging them for good. */
  holdSecs?: number;
}

/** A batch of charges as `charge_batch` takes it. */
export interface PackedCharges {
  /** The parameters, each as the text of an array; null for an array without values. */
  values: (string | null)[];
  /** Place of each account and key in what is returned, from 1 on. */
  accounts: ReadonlyMap<string, number>;
  keys: ReadonlyMap<string, number>;
}

/**
 * Packs charges: each account, key and operation is sent once, and the charges name them by their places. Arrays are written
 * here because the driver would look at each element for what must be quoted, and ids and numbers never must.
 *
 * @returns null when the credits of one account are more together than a number can say exactly
 */
export function packCharges(batch: readonly ChargeRequest[]): PackedCharges | null {
  const accountCosts = new Map<string, number>();
  const keyCosts = new Map<string, number>();
  const operations = new Map<string, number>();
  for (const { accountId, keyId, cost, operation } of batch) {
    const ofAccount = (accountCosts.get(accountId) ?? 0) + cost;
    if (ofAccount > Number.MAX_SAFE_INTEGER) return null;
    accountCosts.set(accountId, ofAccount);
    keyCosts.set(keyId, (keyCosts.get(keyId) ?? 0) + cost);
    if (!operations.has(operation)) operations.set(operation, operations.size + 1);
  }
  const accountIds = [...accountCosts.keys()].sort();
  const keyIds = [...keyCosts.keys()].sort();
  const accounts = placesOf(accountIds);
  const keys = placesOf(keyIds);
  const values = [
    toArray(accountIds),
    toArray(accountIds.map((id) => accountCosts.get(id)!)),
    toArray(keyIds),
    toArray(keyIds.map((id) => keyCosts.get(id)!)),
    toArray([...operations.keys()].map(quoted)),
    toArray(batch.map(({ accountId }) => accounts.get(accountId)!)),
    toArray(batch.map(({ keyId }) => keys.get(keyId)!)),
    toArray(batch.map(({ operation }) => operations.get(operation)!)),
    toArray(batch.map(({ cost }) => cost)),
    toArray(batch.map(({ requestId }) => quoted(requestId))),
    batch.some(({ endUser }) => endUser)
      ? toArray(batch.map(({ endUser }) => (endUser ? quoted(endUser) : 'NULL')))
      : null,
  ];
  return { values, accounts, keys };
}

function placesOf(ids: readonly string[]): Map<string, number> {
  return new Map(ids.map((id, index) => [id, index + 1]));
}

function toArray(elements: readonly (string | number)[]): string {
  return `{${elements.join(',')}}`;
}

/** Any text as an element of an array. */
function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
}

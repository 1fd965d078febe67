/** A refused request, as the api lists it. */
export interface Refusal {
  at: string;
  gate: string;
  reason: string;
  status: number;
  route: string;
  address: string;
  request_id: string;
  cost: number | null;
}

export interface RefusalGroup {
  newest: Refusal;
  count: number;
}

/** Groups refusals of the same request for the same reason. Both lists are newest first. */
export function groupRefusals(refusals: readonly Refusal[]): RefusalGroup[] {
  const groups = new Map<string, RefusalGroup>();
  for (const refusal of refusals) {
    const { gate, reason, status, route, address } = refusal;
    const name = JSON.stringify([gate, reason, status, route, address]);
    const group = groups.get(name);
    if (group) group.count += 1;
    else groups.set(name, { newest: refusal, count: 1 });
  }
  return [...groups.values()];
}

import { api, unwrap } from '../api/client';
import { checkTroubles } from './check-troubles';
import type { Attention } from './waiting';

export async function findCheckTroubles(): Promise<Attention[]> {
  return checkTroubles((await unwrap(api.GET('/admin/checks'))).items);
}

import { api } from '../api/client';
import { checkTroubles } from './check-troubles';
import type { Attention } from './waiting';

export async function findCheckTroubles(): Promise<Attention[]> {
  return checkTroubles((await api.GET('/admin/checks')).items);
}

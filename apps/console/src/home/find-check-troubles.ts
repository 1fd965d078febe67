import { api } from '../api/client';
import { checkTroubles } from './check-troubles';
import type { Attention } from './waiting';

export const findCheckTroubles = async (): Promise<Attention[]> =>
  checkTroubles((await api.GET('/admin/checks')).items);

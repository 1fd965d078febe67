import { AllowListDryRunsService } from '@app/administration/allow-lists/allow-list-dry-runs.service';
import { AllowListUndoTimer } from './allow-list-undo.timer';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { ExplainService } from '../explain/explain.service';
import { StaffAllowListsController } from './staff-allow-lists.controller';
import { StaffExplainController } from '../explain/staff-explain.controller';

/** Editing of allow-lists, and explanations of decisions, for the api's module. */
export const ALLOW_LIST_CONTROLLERS = [StaffAllowListsController, StaffExplainController];
export const ALLOW_LIST_PROVIDERS = [
  AllowListsService,
  AllowListDryRunsService,
  AllowListUndoTimer,
  ExplainService,
];

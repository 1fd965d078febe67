import { fromWire } from '@app/domain/keys/key-settings';
import { KeyDryRunsService } from '@app/administration/keys/key-dry-runs.service';
import { TRAFFIC_STORED_DAYS } from '@app/domain/traffic/traffic';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import {
  DryRunSettingsBody,
  SuggestPermissionsBody,
  toSettingsDryRunResponse,
  toSuggestionResponse,
  type PermissionSuggestionResponse,
  type SettingsDryRunResponse,
} from './key-dry-run.dto';

@Controller('admin/api-keys/:key_id')
export class StaffKeyDryRunsController {
  constructor(private readonly dryRuns: KeyDryRunsService) {}

  /** What settings would have done to recorded requests and charges, without saving them. */
  @Post('dry-run') // Try settings of an API key against recorded requests
  @HttpCode(200)
  @RequireStaff('keys.read')
  async run(
    @Param('key_id') keyId: string,
    @Body() { days = TRAFFIC_STORED_DAYS, ...body }: DryRunSettingsBody,
  ): Promise<SettingsDryRunResponse> {
    return toSettingsDryRunResponse(await this.dryRuns.run(keyId, fromWire(body), days));
  }

  /** The permissions that the key has used: with just these, none of these requests would have been refused. */
  @Post('permissions/suggest') // Suggest the permissions that an API key has used
  @HttpCode(200)
  @RequireStaff('keys.read')
  async suggestPermissions(
    @Param('key_id') keyId: string,
    @Body() { days = TRAFFIC_STORED_DAYS }: SuggestPermissionsBody,
  ): Promise<PermissionSuggestionResponse> {
    return toSuggestionResponse(await this.dryRuns.suggestPermissions(keyId, days), days);
  }
}

import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  StreamableFile,
} from '@nestjs/common';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { fromWire } from '@app/domain/keys/key-settings';
import { Readable } from 'node:stream';
import { byStaff } from '@app/administration/audit/audit-actors';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { Produces } from '../http/produces';
import { toSetting, toSettingUndos } from '../http/revert-at';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ListedKeysService } from '@app/administration/allow-lists/listed-keys.service';
import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import { KeyRestoresService } from '@app/administration/keys/key-restores.service';
import { MayWait } from '../approvals/may-wait';
import { toCsv } from './api-key-csv';
import { ApiKeyFilterQuery, ApiKeyListQuery, toFilter } from './api-key-query.dto';
import { ApiKeyExportService } from './api-key-export.service';
import { ApiKeySearchService } from './api-key-search.service';
import {
  CreateApiKeyBody,
  DisableApiKeyBody,
  EditApiKeyBody,
  RestoreApiKeyBody,
  RotateApiKeyBody,
  toApiKeyResponse,
  toListedApiKeyResponse,
  EDITABLE_SETTINGS,
  toEditEnd,
  toFirstList,
  toNewApiKey,
  toOverlapDays,
  toSecretResponse,
  type ApiKeyDetailResponse,
  type ApiKeyPageResponse,
  type ApiKeyWithSecretResponse,
} from './staff-api-key.dto';

@Controller('admin')
export class StaffApiKeysController {
  constructor(
    private readonly search: ApiKeySearchService,
    private readonly changes: ApiKeyChangesService,
    private readonly exports: ApiKeyExportService,
    private readonly listed: ListedKeysService,
    private readonly restores: KeyRestoresService,
  ) {}

  @Get('api-keys') // List API keys
  @RequireStaff('keys.read')
  async list(@CurrentStaff() staff: Staff, @Query() query: ApiKeyListQuery): Promise<ApiKeyPageResponse> {
    const { items, estimated, ...page } = await this.search.list(toFilter(query, staff), query);
    return { items: items.map(toListedApiKeyResponse), ...page, total_is_estimate: estimated };
  }

  @Get('accounts/:account_id/api-keys') // List the API keys of an account
  @RequireStaff('keys.read')
  async listOfAccount(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Query() query: ApiKeyListQuery,
  ): Promise<ApiKeyPageResponse> {
    await this.search.requireAccount(accountId);
    return this.list(staff, { ...query, account_id: accountId });
  }

  /** CSV of every key that matches, as long as it gets. */
  @Get('api-keys/export') // Export API keys as CSV
  @Produces('text/csv')
  @RequireStaff('keys.read')
  async export(@CurrentStaff() staff: Staff, @Query() query: ApiKeyFilterQuery): Promise<StreamableFile> {
    const keys = await this.exports.export(byStaff(staff), toFilter(query, staff));
    return new StreamableFile(Readable.from(toCsv(keys)), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: 'attachment; filename="api-keys.csv"',
    });
  }

  @Get('api-keys/:key_id') // Get an API key
  @RequireStaff('keys.read')
  async get(@Param('key_id') id: string): Promise<ApiKeyDetailResponse> {
    return this.keyResponse(id);
  }

  @Post('accounts/:account_id/api-keys') // Create an API key
  @RequireStaff('keys.write')
  async create(
    @Param('account_id') accountId: string,
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: CreateApiKeyBody,
  ): Promise<ApiKeyWithSecretResponse> {
    const input = toNewApiKey(accountId, body);
    const issued = await this.listed.create(actor, input, toFirstList(body), reason);
    return { ...(await this.keyResponse(issued.keyId)), secret: issued.secret };
  }

  @Patch('api-keys/:key_id') // Edit an API key
  @RequireStaff('keys.write')
  async edit(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
    @Body() body: EditApiKeyBody,
  ): Promise<ApiKeyDetailResponse> {
    const target = { ...change, keyId };
    const receipt = await this.changes.edit(target, fromWire(body), toEditEnd(body));
    return this.keyResponse(keyId, receipt);
  }

  /** Restores what a setting was before its last change. */
  @Post('api-keys/:key_id/settings/:setting/undo') // Undo the last change of a setting of an API key
  @HttpCode(200)
  @RequireStaff('keys.write')
  async undo(
    @Param('key_id') keyId: string,
    @Param('setting') setting: string,
    @Change() change: ChangeByStaff,
  ): Promise<ApiKeyDetailResponse> {
    const target = { ...change, keyId };
    return this.keyResponse(keyId, await this.changes.undo(target, toSetting(setting, EDITABLE_SETTINGS)));
  }

  /** Keeps a change of a setting that would be undone automatically. */
  @Post('api-keys/:key_id/settings/:setting/keep') // Keep a change of a setting that would be undone automatically
  @HttpCode(200)
  @RequireStaff('keys.write')
  async keep(
    @Param('key_id') keyId: string,
    @Param('setting') setting: string,
    @Change() change: ChangeByStaff,
  ): Promise<ApiKeyDetailResponse> {
    const target = { ...change, keyId };
    return this.keyResponse(keyId, await this.changes.keep(target, toSetting(setting, EDITABLE_SETTINGS)));
  }

  @Post('api-keys/:key_id/disable') // Disable an API key
  @HttpCode(200)
  @RequireStaff('keys.write')
  async disable(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
    @Body() { disable_reason }: DisableApiKeyBody,
  ): Promise<ApiKeyDetailResponse> {
    const target = { ...change, keyId };
    const receipt = await this.changes.disable(target, disable_reason);
    return this.keyResponse(keyId, receipt);
  }

  @Post('api-keys/:key_id/enable') // Enable an API key
  @HttpCode(200)
  @RequireStaff('keys.write')
  async enable(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
  ): Promise<ApiKeyDetailResponse> {
    const receipt = await this.changes.enable({ ...change, keyId });
    return this.keyResponse(keyId, receipt);
  }

  @Post('api-keys/:key_id/rotate') // Rotate the secret of an API key
  @HttpCode(200)
  @RequireStaff('keys.write')
  async rotate(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
    @Body() body: RotateApiKeyBody,
  ): Promise<ApiKeyWithSecretResponse> {
    const target = { ...change, keyId };
    const { receipt, secret } = await this.changes.rotate(target, toOverlapDays(body));
    return { ...(await this.keyResponse(keyId, receipt)), secret };
  }

  @Post('api-keys/:key_id/end-rotation') // End a rotation: retire the old secret now
  @HttpCode(200)
  @RequireStaff('keys.write')
  async endRotation(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
  ): Promise<ApiKeyDetailResponse> {
    const receipt = await this.changes.endRotation({ ...change, keyId });
    return this.keyResponse(keyId, receipt);
  }

  /** Detaches a key from the key that created it, which then does not limit it. */
  @Post('api-keys/:key_id/detach') // Detach a key from the key that created it
  @HttpCode(200)
  @RequireStaff('keys.write')
  async detach(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
  ): Promise<ApiKeyDetailResponse> {
    const receipt = await this.changes.detach({ ...change, keyId });
    return this.keyResponse(keyId, receipt);
  }

  /** Releases a key from the file of keys that manages it: staff change it again. */
  @Post('api-keys/:key_id/release') // Release a key from the file of keys that manages it
  @HttpCode(200)
  @RequireStaff('keys.release')
  async release(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
  ): Promise<ApiKeyDetailResponse> {
    const receipt = await this.changes.release({ ...change, keyId });
    return this.keyResponse(keyId, receipt);
  }

  /** Restores a key that was deleted less than 30 days ago, as it was then. */
  @Post('api-keys/:key_id/restore') // Restore a deleted key
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write')
  async restore(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
    @Body() { confirm = false }: RestoreApiKeyBody,
  ): Promise<ApiKeyDetailResponse> {
    const target = { ...change, keyId };
    return this.keyResponse(keyId, await this.restores.restore(target, confirm));
  }

  @Delete('api-keys/:key_id') // Delete an API key
  @RequireStaff('keys.write')
  async delete(
    @Param('key_id') keyId: string,
    @Change() change: ChangeByStaff,
  ): Promise<{ id: string; receipt: ChangeReceipt | null }> {
    const receipt = await this.changes.delete({ ...change, keyId });
    return { id: keyId, receipt };
  }

  private async keyResponse(id: string, receipt?: ChangeReceipt | null): Promise<ApiKeyDetailResponse> {
    const { key, secrets, undos } = await this.search.get(id);
    return {
      ...toApiKeyResponse(key),
      secrets: secrets.map(toSecretResponse),
      undo: toSettingUndos(undos, EDITABLE_SETTINGS),
      ...(receipt !== undefined && { receipt }),
    };
  }
}

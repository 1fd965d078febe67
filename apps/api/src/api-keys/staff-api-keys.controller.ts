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
  Res,
  StreamableFile,
} from '@nestjs/common';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { Produces } from '../http/produces';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import { ListedKeysService } from '@app/administration/allow-lists/listed-keys.service';
import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import { KeyRestoresService } from '@app/administration/keys/key-restores.service';
import { MayWait } from '../waiting-changes/may-wait';
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
  toKeyEdit,
  toRevertAt,
  toSetting,
  toFirstList,
  toNewApiKey,
  toOverlapDays,
  toSecretResponse,
  toSettingUndos,
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

  @Get('api-keys')
  @RequireStaff('keys.read')
  async list(@CurrentStaff() staff: Staff, @Query() query: ApiKeyListQuery): Promise<ApiKeyPageResponse> {
    const { items, estimated, ...page } = await this.search.list(toFilter(query, staff), query);
    return { items: items.map(toApiKeyResponse), ...page, total_is_estimate: estimated };
  }

  @Get('accounts/:account_id/api-keys')
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
  @Get('api-keys/export')
  @Produces('text/csv')
  @RequireStaff('keys.read')
  async export(@CurrentStaff() staff: Staff, @Query() query: ApiKeyFilterQuery): Promise<StreamableFile> {
    const keys = await this.exports.export(byStaff(staff), toFilter(query, staff));
    return new StreamableFile(Readable.from(toCsv(keys)), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: 'attachment; filename="api-keys.csv"',
    });
  }

  @Get('api-keys/:key_id')
  @RequireStaff('keys.read')
  async get(
    @Param('key_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    return this.answer(reply, id);
  }

  @Post('accounts/:account_id/api-keys')
  @RequireStaff('keys.write')
  async create(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Body() body: CreateApiKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyWithSecretResponse> {
    const input = toNewApiKey(accountId, body);
    const issued = await this.listed.create(byStaff(staff), input, toFirstList(body), body.reason);
    return { ...(await this.answer(reply, issued.keyId)), secret: issued.secret };
  }

  @Patch('api-keys/:key_id')
  @RequireStaff('keys.write')
  async edit(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() body: EditApiKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const target = { actor: byStaff(staff), keyId, expected, reason: body.reason };
    const receipt = await this.changes.edit(target, toKeyEdit(body), toRevertAt(body));
    return this.answer(reply, keyId, receipt);
  }

  /** Restores what a setting was before its last change. */
  @Post('api-keys/:key_id/settings/:setting/undo')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async undo(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @Param('setting') setting: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const target = { actor: byStaff(staff), keyId, expected, reason };
    return this.answer(reply, keyId, await this.changes.undo(target, toSetting(setting)));
  }

  /** Keeps a change of a setting that would be undone automatically. */
  @Post('api-keys/:key_id/settings/:setting/keep')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async keep(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @Param('setting') setting: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const target = { actor: byStaff(staff), keyId, expected, reason };
    return this.answer(reply, keyId, await this.changes.keep(target, toSetting(setting)));
  }

  @Post('api-keys/:key_id/disable')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async disable(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { disable_reason, reason }: DisableApiKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const target = { actor: byStaff(staff), keyId, expected, reason };
    const receipt = await this.changes.disable(target, disable_reason);
    return this.answer(reply, keyId, receipt);
  }

  @Post('api-keys/:key_id/enable')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async enable(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const receipt = await this.changes.enable({ actor: byStaff(staff), keyId, expected, reason });
    return this.answer(reply, keyId, receipt);
  }

  @Post('api-keys/:key_id/rotate')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async rotate(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() body: RotateApiKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyWithSecretResponse> {
    const target = { actor: byStaff(staff), keyId, expected, reason: body.reason };
    const { receipt, secret } = await this.changes.rotate(target, toOverlapDays(body));
    return { ...(await this.answer(reply, keyId, receipt)), secret };
  }

  @Post('api-keys/:key_id/end-rotation')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async endRotation(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const receipt = await this.changes.endRotation({ actor: byStaff(staff), keyId, expected, reason });
    return this.answer(reply, keyId, receipt);
  }

  /** Detaches a key from the key that created it, which then does not limit it. */
  @Post('api-keys/:key_id/detach')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async detach(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const receipt = await this.changes.detach({ actor: byStaff(staff), keyId, expected, reason });
    return this.answer(reply, keyId, receipt);
  }

  /** Releases a key from the file of keys that manages it: staff change it again. */
  @Post('api-keys/:key_id/release')
  @HttpCode(200)
  @RequireStaff('keys.release')
  async release(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const receipt = await this.changes.release({ actor: byStaff(staff), keyId, expected, reason });
    return this.answer(reply, keyId, receipt);
  }

  /** Restores a key that was deleted less than 30 days ago, as it was then. */
  @Post('api-keys/:key_id/restore')
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write')
  async restore(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, confirm = false }: RestoreApiKeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyDetailResponse> {
    const target = { actor: byStaff(staff), keyId, expected, reason };
    return this.answer(reply, keyId, await this.restores.restore(target, confirm));
  }

  @Delete('api-keys/:key_id')
  @RequireStaff('keys.write')
  async delete(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<{ id: string; receipt: ChangeReceipt | null }> {
    const receipt = await this.changes.delete({ actor: byStaff(staff), keyId, expected, reason });
    return { id: keyId, receipt };
  }

  private async answer(
    reply: FastifyReply,
    id: string,
    receipt?: ChangeReceipt | null,
  ): Promise<ApiKeyDetailResponse> {
    const { key, secrets, undos } = await this.search.get(id);
    void reply.header('etag', etagOf(key.version));
    return {
      ...toApiKeyResponse(key),
      secrets: secrets.map(toSecretResponse),
      undo: toSettingUndos(undos),
      ...(receipt !== undefined && { receipt }),
    };
  }
}

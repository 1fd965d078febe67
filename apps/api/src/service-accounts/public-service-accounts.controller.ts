import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import type { Caller } from '@app/domain/keys/caller';
import { RequireAnyKey, RequireScope } from '../http/route-access';
import { ServiceAccountKeyChangesService } from './service-account-key-changes.service';
import { ServiceAccountKeysService } from './service-account-keys.service';
import {
  CreateServiceAccountBody,
  CreateServiceAccountKeyBody,
  DisableKeyQuery,
  EditServiceAccountKeyBody,
  toEdit,
  toKeyResponse,
  toNewKey,
  toServiceAccountResponse,
  type ServiceAccountResponse,
  type ServiceAccountKeyResponse,
} from './service-account.dto';
import { ServiceAccountsService } from './service-accounts.service';

const KEYS = 'service-accounts/:service_account_user_id/api-keys';

@Controller('v1')
export class PublicServiceAccountsController {
  constructor(
    private readonly serviceAccounts: ServiceAccountsService,
    private readonly keys: ServiceAccountKeysService,
    private readonly keyChanges: ServiceAccountKeyChangesService,
  ) {}

  @Get('service-accounts') // List service accounts
  @RequireScope('service_account_write')
  async list(@CurrentCaller() caller: Caller): Promise<{ 'service-accounts': ServiceAccountResponse[] }> {
    const found = await this.serviceAccounts.list(caller);
    const keys = await this.keys.listOf(found.map(({ id }) => id));
    return { 'service-accounts': found.map((each) => toServiceAccountResponse(each, keys)) };
  }

  @Post('service-accounts') // Create a service account
  @HttpCode(200)
  @RequireScope('service_account_write')
  async create(
    @CurrentCaller() caller: Caller,
    @Body() { name }: CreateServiceAccountBody,
  ): Promise<{ 'service-account-user-id': string }> {
    const { id } = await this.serviceAccounts.create(caller, name);
    return { 'service-account-user-id': id };
  }

  @Get(KEYS) // List the API keys of a service account
  @RequireScope('service_account_write')
  async listKeys(
    @CurrentCaller() caller: Caller,
    @Param('service_account_user_id') id: string,
  ): Promise<{ 'api-keys': ServiceAccountKeyResponse[] }> {
    const keys = await this.keys.list(caller, id);
    return { 'api-keys': keys.map((key) => toKeyResponse(id, key)) };
  }

  @Post(KEYS) // Create an API key of a service account
  @HttpCode(200)
  @RequireScope('service_account_write')
  async createKey(
    @CurrentCaller() caller: Caller,
    @Param('service_account_user_id') id: string,
    @Body() body: CreateServiceAccountKeyBody,
  ): Promise<{ 'xi-api-key': string; key_id: string }> {
    const { keyId, secret } = await this.keyChanges.create(caller, id, toNewKey(body));
    return { 'xi-api-key': secret, key_id: keyId };
  }

  @Patch(`${KEYS}/:api_key_id`) // Edit an API key of a service account
  @RequireScope('service_account_write')
  async editKey(
    @CurrentCaller() caller: Caller,
    @Param('service_account_user_id') serviceAccountId: string,
    @Param('api_key_id') keyId: string,
    @Body() body: EditServiceAccountKeyBody,
  ): Promise<ServiceAccountKeyResponse> {
    const key = await this.keyChanges.edit(caller, { serviceAccountId, keyId }, toEdit(body));
    return toKeyResponse(serviceAccountId, key);
  }

  @Delete(`${KEYS}/:api_key_id`) // Delete an API key of a service account
  @RequireScope('service_account_write')
  async deleteKey(
    @CurrentCaller() caller: Caller,
    @Param('service_account_user_id') serviceAccountId: string,
    @Param('api_key_id') keyId: string,
  ): Promise<{ status: 'ok' }> {
    await this.keyChanges.delete(caller, { serviceAccountId, keyId });
    return { status: 'ok' };
  }

  /** The key that calls disables itself: what the finder of a leaked key can do. */
  @Post('workspaces/api-keys/disable') // Disable the API key that calls
  @HttpCode(200)
  @RequireAnyKey()
  async disableSelf(@CurrentCaller() caller: Caller, @Query() _: DisableKeyQuery): Promise<{ status: 'ok' }> {
    await this.keyChanges.disableSelf(caller);
    return { status: 'ok' };
  }
}

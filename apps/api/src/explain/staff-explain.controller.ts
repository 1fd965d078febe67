import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { ExplainBody, toExplainResponse, type ExplainResponse } from './explain.dto';
import { ExplainService } from './explain.service';

@Controller('admin/api-keys/:key_id/explain')
export class StaffExplainController {
  constructor(private readonly explainService: ExplainService) {}

  @Post() // Explain how a request with this key would end
  @HttpCode(200)
  @RequireStaff('keys.explain')
  async explain(@Param('key_id') keyId: string, @Body() body: ExplainBody): Promise<ExplainResponse> {
    const { secret_number: secretNumber, end_user: endUser, model_id: modelId, cost = 0, ...query } = body;
    const explained = { ...query, cost, secretNumber, endUser, modelId, keyId };
    return toExplainResponse(await this.explainService.explain(explained));
  }
}

import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { ExplainBody, toExplainAnswer, type ExplainAnswer } from './explain.dto';
import { ExplainService } from './explain.service';

@Controller('admin/api-keys/:key_id/explain')
export class StaffExplainController {
  constructor(private readonly explainService: ExplainService) {}

  @Post()
  @HttpCode(200)
  @RequireStaff('keys.explain')
  async explain(@Param('key_id') keyId: string, @Body() body: ExplainBody): Promise<ExplainAnswer> {
    const { secret_number: secretNumber, cost = 0, ...question } = body;
    return toExplainAnswer(await this.explainService.explain({ ...question, cost, secretNumber, keyId }));
  }
}

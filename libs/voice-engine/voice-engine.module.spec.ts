import { loadConfig } from '@app/config/app-config';
import { ConfigModule } from '@app/config/config.module';
import { NestFactory } from '@nestjs/core';
import { readdirSync } from 'node:fs';
import type { VoiceEngine } from './voice-engine';
import { VoiceEngineModule } from './voice-engine.module';
import { VOICE_ENGINE } from './voice-engine.provider';

const threads = () => readdirSync('/proc/self/task').length;

it('an application that has ended leaves no thread of its engine behind', async () => {
  class Application {}
  const module = { module: Application, imports: [ConfigModule.forRoot(loadConfig({})), VoiceEngineModule] };
  const application = await NestFactory.createApplicationContext(module, { logger: false });
  await application.get<VoiceEngine>(VOICE_ENGINE).check();
  const speaking = threads();
  await application.close();
  expect(threads()).toBeLessThanOrEqual(speaking - 3);
});

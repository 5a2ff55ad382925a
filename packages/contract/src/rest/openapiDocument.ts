import type { z } from 'zod';
import type { ErrorEntry } from '../errorCatalogue.js';
import type { ErrorCode } from '../errors.js';
import type { RouteAccess } from './roles.js';

export type JsonSchema = z.core.JSONSchema.BaseSchema;
export type Content = Record<string, { schema: JsonSchema; example?: unknown }>;

export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  deprecated?: true;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface OpenApiHeader {
  description: string;
  schema: JsonSchema;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, OpenApiHeader | { $ref: string }>;
  content?: Content;
  /** The codes that an error body of this response may have. */
  'x-errorCodes'?: string[];
}

/** A response of its own, or the name of one that several operations share. */
export type OpenApiResponseOrRef = OpenApiResponse | { $ref: string };

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** A request, and the response that the demo organization gave to it. */
export interface OperationExample {
  /** What it shows. */
  summary: string;
  request: {
    parameters?: Record<string, unknown>;
    headers?: Readonly<Record<string, string>>;
    body?: Record<string, unknown>;
  };
  response: { status: number; body: unknown };
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: true;
  security?: [];
  parameters: OpenApiParameter[];
  requestBody?: { description?: string; required: boolean; content: Content };
  responses: Record<string, OpenApiResponseOrRef>;
  /** Every code that the operation may return: several may share a status. */
  'x-errorCodes': ErrorCode[];
  /** The role, and the level on the record in the path, that the caller needs. */
  'x-access'?: RouteAccess;
  'x-codeSamples'?: CodeSample[];
  /** Examples besides the one of the request and the response. */
  'x-examples'?: OperationExample[];
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: {
    title: string;
    version: string;
    description: string;
    contact?: { name: string };
    license: { name: string; identifier: string };
  };
  servers: { url: string; description?: string }[];
  tags: { name: string; description?: string }[];
  security: Record<string, []>[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, OpenApiResponse>;
    headers?: Record<string, OpenApiHeader>;
    securitySchemes: Record<string, Record<string, string>>;
  };
  'x-errorCodes': Record<ErrorCode, { status: number; message: string } & ErrorEntry>;
}

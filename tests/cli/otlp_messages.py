# SPDX-License-Identifier: MIT
"""Read a line of OTLP's JSON with Google's protobuf, which refuses unknown keys and wrong types.

The messages are those of opentelemetry/proto (metrics/v1, common/v1, resource/v1 and
collector/metrics/v1), as far as regionstat writes them.

usage: otlp_messages.py FILE
"""

import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format
try:
    from google.protobuf.message_factory import GetMessageClass
except ImportError:  # before 4.22
    from google.protobuf.message_factory import MessageFactory
    GetMessageClass = MessageFactory().GetPrototype

# message: fields with name, number, type; a name in capitals is a message, * a list
MESSAGES = {
    "AnyValue": "string_value 1 string, bool_value 2 bool, int_value 3 int64, double_value 4 double",
    "KeyValue": "key 1 string, value 2 AnyValue",
    "Resource": "attributes 1 *KeyValue, dropped_attributes_count 2 uint32",
    "InstrumentationScope": "name 1 string, version 2 string",
    "NumberDataPoint": "start_time_unix_nano 2 fixed64, time_unix_nano 3 fixed64, as_double 4 double, "
                       "as_int 6 sfixed64, attributes 7 *KeyValue",
    "HistogramDataPoint": "start_time_unix_nano 2 fixed64, time_unix_nano 3 fixed64, count 4 fixed64, "
                          "sum 5 double, bucket_counts 6 *fixed64, explicit_bounds 7 *double, "
                          "attributes 9 *KeyValue",
    "Sum": "data_points 1 *NumberDataPoint, aggregation_temporality 2 int32, is_monotonic 3 bool",
    "Histogram": "data_points 1 *HistogramDataPoint, aggregation_temporality 2 int32",
    "Metric": "name 1 string, description 2 string, unit 3 string, sum 7 Sum, histogram 9 Histogram",
    "ScopeMetrics": "scope 1 InstrumentationScope, metrics 2 *Metric, schema_url 3 string",
    "ResourceMetrics": "resource 1 Resource, scope_metrics 2 *ScopeMetrics, schema_url 3 string",
    "ExportMetricsServiceRequest": "resource_metrics 1 *ResourceMetrics",
}


def request_class():
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="otlp.proto", package="otlp", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for text in fields.split(", "):
            name, number, kind = text.split()
            field = message.field.add(name=name, number=int(number), label=3 if kind[0] == "*" else 1)
            kind = kind.lstrip("*")
            if kind in MESSAGES:
                field.type, field.type_name = field_type.TYPE_MESSAGE, ".otlp." + kind
            else:
                field.type = getattr(field_type, "TYPE_" + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName("otlp.ExportMetricsServiceRequest"))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json_format.Parse(file.read(), request_class()())
    metrics = request.resource_metrics[0].scope_metrics[0].metrics
    assert metrics and all(metric.sum.data_points or metric.histogram.data_points
                           for metric in metrics)


main()

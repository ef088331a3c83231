# SPDX-License-Identifier: Apache-2.0
"""What RTL costs on real parts, by open tools: ``polyloom synth``."""

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Price feed with Chainlink's interface, for the local chain
/// @notice Returns the price of one whole token in wei. Anyone can set it: it is for local play and tests.
contract TestPriceFeed {
    uint8 public constant decimals = 18;
    int256 public answer;
    uint256 public updatedAt;

    constructor(int256 answer_) {
        set(answer_);
    }

    function set(int256 answer_) public {
        (answer, updatedAt) = (answer_, block.timestamp);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (1, answer, updatedAt, updatedAt, 1);
    }
}
